// SPDX-License-Identifier: Apache-2.0
// A JSON file that remembers its text, so that every message about it can say FILE:LINE:COLUMN.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace assay::spec {

using Json = nlohmann::ordered_json;

class Document {
 public:
  // Errors (kInvalidArgument) read "FILE:LINE:COLUMN: message": bad syntax with what was expected, a key given twice in
  // one object, numbers beyond the range of double, more than kMaxDepth nested lists and objects, invalid UTF-8.
  static Result<std::shared_ptr<const Document>> parse(std::string path, std::string text);
  // kIo if the file cannot be read.
  static Result<std::shared_ptr<const Document>> read(const std::string& path);

  const std::string& path() const { return path_; }
  // The folder that paths in the file are relative to: "." where the path has none.
  std::string folder() const;
  const std::string& text() const { return text_; }
  const Json& root() const { return root_; }
  // "FILE:LINE:COLUMN" of the value, or of its key. The pointer is a JSON pointer; "" is the root.
  std::string where(const std::string& pointer) const;
  std::string where_key(const std::string& pointer) const;
  // A number as it is written, where a double would round it.
  std::string number_text(const std::string& pointer) const;

 private:
  Document(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  std::string path_;
  std::string text_;
  Json root_;
};

inline constexpr std::size_t kMaxDepth = 100;

// One value in a document; cheap to copy, keeps the document alive.
class Element {
 public:
  Element() = default;  // nothing: json() is null
  explicit Element(std::shared_ptr<const Document> document);

  bool exists() const { return json_ != nullptr; }
  const Json& json() const;
  const std::string& pointer() const { return pointer_; }
  const Document& document() const { return *document_; }

  // A member of an object or an item of a list; an Element that does not exist where there is none.
  Element member(const std::string& key) const;
  Element item(std::size_t index) const;
  std::vector<std::string> keys() const;  // of an object, in the file's order; {} for other values
  std::size_t size() const { return json().size(); }

  std::string where() const;
  // kInvalidArgument "FILE:LINE:COLUMN: message", at the value or at its key.
  Error error(const std::string& message) const;
  Error key_error(const std::string& message) const;

 private:
  std::shared_ptr<const Document> document_;
  const Json* json_ = nullptr;
  std::string pointer_;
};

// Resolves a path named in the document against its folder; absolute paths stay.
std::string resolve_path(const Document& document, const std::string& path);

}  // namespace assay::spec
