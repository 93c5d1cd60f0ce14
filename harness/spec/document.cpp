// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/document.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "engine/base/input_file.h"
#include "harness/spec/json_reader.h"
#include "harness/spec/json_scanner.h"

namespace assay::spec {
namespace {

std::string position_text(const std::string& path, const std::string& text, std::size_t offset) {
  const LineColumn at = line_column(text, offset);
  return path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace

Result<std::shared_ptr<const Document>> Document::parse(std::string path, std::string text) {
  std::shared_ptr<Document> document(new Document(std::move(path), std::move(text)));
  if (auto root = read_plain_json(document->text_, kMaxDepth)) {
    document->root_ = std::move(*root);
    return std::shared_ptr<const Document>(std::move(document));
  }
  if (const auto failure = check_syntax(document->text_, kMaxDepth)) {
    return invalid_argument(position_text(document->path_, document->text_, failure->offset) + ": " + failure->message);
  }
  try {
    document->root_ = Json::parse(document->text_);
  } catch (const Json::parse_error& error) {
    // The scanner knows the grammar; what is left is the encoding of texts. `byte` counts the characters read.
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    return invalid_argument(position_text(document->path_, document->text_, offset) + ": text that is not valid UTF-8");
  } catch (const Json::exception& error) {
    return invalid_argument(document->path_ + ": " + error.what());
  }
  return std::shared_ptr<const Document>(std::move(document));
}

Result<std::shared_ptr<const Document>> Document::read(const std::string& path) {
  ASSAY_ASSIGN(std::string text, read_file(path));
  return parse(path, std::move(text));
}

std::string Document::folder() const {
  const std::size_t slash = path_.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  // Taking a path apart costs more than the rest of reading a small case.
  const bool plain = slash > 0 && path_[slash - 1] != '/';
  return plain ? path_.substr(0, slash) : std::filesystem::path(path_).parent_path().string();
}

std::shared_ptr<const Document> Document::composed(const Document& base, Json root, std::vector<Origin> origins) {
  std::shared_ptr<Document> document(new Document(base.path_, base.text_));
  document->root_ = std::move(root);
  document->origins_ = std::move(origins);
  return document;
}

const Document* Document::origin_of(const std::string& pointer, std::string& place) const {
  const Origin* nearest = nullptr;
  for (const Origin& origin : origins_) {
    const std::string& prefix = origin.pointer;
    const bool inside =
        pointer.starts_with(prefix) && (pointer.size() == prefix.size() || pointer[prefix.size()] == '/');
    if (inside && (nearest == nullptr || prefix.size() > nearest->pointer.size())) {
      nearest = &origin;
    }
  }
  place = nearest == nullptr ? pointer : nearest->source + pointer.substr(nearest->pointer.size());
  return nearest == nullptr ? nullptr : nearest->document.get();
}

std::vector<const Document*> Document::sources() const {
  std::vector<const Document*> sources;
  for (const Origin& origin : origins_) {
    const bool other = origin.document->path_ != path_;
    if (other && std::find(sources.begin(), sources.end(), origin.document.get()) == sources.end()) {
      sources.push_back(origin.document.get());
    }
  }
  return sources;
}

std::string Document::folder_at(const std::string& pointer) const {
  std::string place;
  const Document* origin = origin_of(pointer, place);
  return origin == nullptr ? folder() : origin->folder();
}

std::string Document::where(const std::string& pointer) const {
  std::string place;
  if (const Document* origin = origin_of(pointer, place)) {
    return origin->where(place);
  }
  const auto location = locate(text_, pointer);
  return location ? position_text(path_, text_, location->value) : path_;
}

std::string Document::where_key(const std::string& pointer) const {
  std::string place;
  if (const Document* origin = origin_of(pointer, place)) {
    return origin->where_key(place);
  }
  const auto location = locate(text_, pointer);
  return location ? position_text(path_, text_, location->key) : path_;
}

std::string Document::number_text(const std::string& pointer) const {
  std::string place;
  if (const Document* origin = origin_of(pointer, place)) {
    return origin->number_text(place);
  }
  const auto location = locate(text_, pointer);
  return location ? text_.substr(location->value, text_.find_first_of(",]} \t\r\n", location->value) - location->value)
                  : "";
}

Element::Element(std::shared_ptr<const Document> document)
    : document_(std::move(document)), json_(&document_->root()) {}

const Json& Element::json() const {
  static const Json kNull;
  return json_ == nullptr ? kNull : *json_;
}

Element Element::member(const std::string& key) const {
  Element element;
  if (json().is_object()) {
    if (const auto found = json().find(key); found != json().end()) {
      element.document_ = document_;
      element.json_ = &*found;
      element.pointer_ = pointer_ + "/" + escape_pointer_token(key);
    }
  }
  return element;
}

Element Element::item(std::size_t index) const {
  Element element;
  if (json().is_array() && index < json().size()) {
    element.document_ = document_;
    element.json_ = &json()[index];
    element.pointer_ = pointer_ + "/" + std::to_string(index);
  }
  return element;
}

std::vector<std::string> Element::keys() const {
  std::vector<std::string> keys;
  if (json().is_object()) {
    for (const auto& [key, value] : json().items()) {
      keys.push_back(key);
    }
  }
  return keys;
}

void sort_by_place(std::vector<std::string>& messages, const std::string& file) {
  const auto place_of = [&](const std::string& message) {
    std::pair<std::size_t, std::size_t> place;  // line, column
    if (message.starts_with(file + ":")) {
      const char* begin = message.c_str() + file.size() + 1;
      char* end = nullptr;
      place.first = std::strtoul(begin, &end, 10);
      place.second = *end == ':' ? std::strtoul(end + 1, nullptr, 10) : 0;
    }
    return place;
  };
  std::stable_sort(messages.begin(), messages.end(),
                   [&](const std::string& a, const std::string& b) { return place_of(a) < place_of(b); });
}

std::string Element::where() const { return document_ ? document_->where(pointer_) : std::string(); }

Error Element::error(const std::string& message) const { return invalid_argument(where() + ": " + message); }

Error Element::key_error(const std::string& message) const {
  return invalid_argument((document_ ? document_->where_key(pointer_) : std::string()) + ": " + message);
}

namespace {

std::string resolved(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

}  // namespace

std::string resolve_path(const Document& document, const std::string& path) {
  return resolved(document.folder(), path);
}

std::string resolve_path(const Element& element, const std::string& path) {
  return resolved(element.document().folder_at(element.pointer()), path);
}

}  // namespace assay::spec
