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

// A JSON file, or one that was put together from several (compose.h): then it remembers for each part where it came
// from.
class Document {
 public:
  // The part at `pointer` is the one at `source` of another document.
  struct Origin {
    std::string pointer;
    std::shared_ptr<const Document> document;
    std::string source;
  };

  // Errors (kInvalidArgument) read "FILE:LINE:COLUMN: message": bad syntax with what was expected, a key given twice in
  // one object, numbers beyond the range of double, more than kMaxDepth nested lists and objects, invalid UTF-8.
  static Result<std::shared_ptr<const Document>> parse(std::string path, std::string text);
  // kIo if the file cannot be read.
  static Result<std::shared_ptr<const Document>> read(const std::string& path);
  // `base` with another root. Parts that no origin names are where they stand in `base`.
  static std::shared_ptr<const Document> composed(const Document& base, Json root, std::vector<Origin> origins);

  const std::string& path() const { return path_; }
  // The folder that paths in the file are relative to: "." where the path has none.
  std::string folder() const;
  const std::string& text() const { return text_; }
  const Json& root() const { return root_; }
  // The documents besides this one that parts came from, each once.
  std::vector<const Document*> sources() const;
  // The folder that paths at this place are relative to: that of the file it came from.
  std::string folder_at(const std::string& pointer) const;
  // "FILE:LINE:COLUMN" of the value, or of its key. The pointer is a JSON pointer; "" is the root.
  std::string where(const std::string& pointer) const;
  std::string where_key(const std::string& pointer) const;
  // A number as it is written, where a double would round it.
  std::string number_text(const std::string& pointer) const;

 private:
  Document(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

  // The origin of a place, or null for this document itself; `place` becomes the pointer in the origin's document.
  const Document* origin_of(const std::string& pointer, std::string& place) const;

  std::string path_;
  std::string text_;
  Json root_;
  std::vector<Origin> origins_;
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
  const std::shared_ptr<const Document>& shared_document() const { return document_; }

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

// Sorts messages that begin with places in the file ("FILE:LINE:COLUMN: ") by these; others come first.
void sort_by_place(std::vector<std::string>& messages, const std::string& file);

// Resolves a path named in a document against its folder; absolute paths stay.
std::string resolve_path(const Document& document, const std::string& path);
// The same of a path that stands at this element, against the folder of the file that it came from.
std::string resolve_path(const Element& element, const std::string& path);

}  // namespace assay::spec
