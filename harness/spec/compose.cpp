// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/compose.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/spec/axis.h"
#include "harness/spec/case_parser.h"
#include "harness/spec/composed_value.h"
#include "harness/spec/nearest.h"

namespace assay::spec {
namespace {

namespace fs = std::filesystem;

// Sets that use sets grow by powers: a few lines could fill any memory.
constexpr std::size_t kMaxSetParts = 100'000;

// Keys that several layers of a case, or sets, share between them: lists are put behind each other, objects merged.
bool joins(const std::string& key) {
  static constexpr std::array<std::string_view, 6> kJoined = {"tags",    "expect", "include",
                                                              "exclude", "matrix", "needs"};
  return std::find(kJoined.begin(), kJoined.end(), key) != kJoined.end();
}

// What is not looked into: the model's own names, and values of axes.
bool is_opaque(const std::string& key) { return key == "graph" || is_free_key(key) || find_axis(key) != nullptr; }

// The names of the sets that an object uses; nothing where it uses none. What has another form is left to the schema.
std::optional<std::vector<std::string>> used_sets(const Json& json) {
  const auto use = json.is_object() ? json.find("use") : json.end();
  if (!json.is_object() || use == json.end()) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const Json& name : use->is_array() ? *use : Json::array({*use})) {
    if (!name.is_string()) {
      return std::nullopt;
    }
    names.push_back(name.get<std::string>());
  }
  return names.empty() ? std::nullopt : std::optional(std::move(names));
}

bool has_use(const Json& json) {
  if (used_sets(json)) {
    return true;
  }
  if (json.is_object()) {
    const auto items = json.items();
    return std::any_of(items.begin(), items.end(),
                       [](const auto& item) { return !is_opaque(item.key()) && has_use(item.value()); });
  }
  return json.is_array() && std::any_of(json.begin(), json.end(), has_use);
}

ComposedValue as_it_stands(const Element& element) {
  return {element.json(), {{"", element.shared_document(), element.pointer()}}};
}

bool is_list_of_texts(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& item) { return item.is_string(); });
}

class Builder {
 public:
  using Read = std::function<const Result<std::shared_ptr<const Document>>&(const std::string& path)>;
  explicit Builder(Read read) : read_(std::move(read)) {}

  void add_part(const std::string& path, const Element& named_by);
  void add_case(const Element& root);
  ComposedValue build();
  std::vector<std::string> take_errors() { return std::move(errors_); }

 private:
  void add_layer(const Element& root);
  ComposedValue layer_value(const Element& layer, bool is_case);
  ComposedValue expanded(const Element& element);
  ComposedValue expanded_object(const Element& element);
  ComposedValue expanded_list(const Element& element);
  // The sets that the element's `use` names, expanded; nothing where one is unknown or uses itself.
  std::optional<std::vector<ComposedValue>> sets_of(const Element& element);
  void complain(const Error& error) { errors_.push_back(error.message); }

  Read read_;
  std::vector<Element> layers_;  // lowest first; the case itself is the last
  std::map<std::string, Element> sets_;
  std::vector<std::string> open_files_;
  std::set<std::string> known_files_;
  std::vector<std::string> open_sets_;
  std::size_t set_parts_ = 0;  // that sets have brought in
  std::vector<std::string> errors_;
};

void Builder::add_part(const std::string& path, const Element& named_by) {
  std::error_code code;
  const std::string canonical = fs::weakly_canonical(path, code).string();
  if (std::find(open_files_.begin(), open_files_.end(), canonical) != open_files_.end()) {
    complain(named_by.error(fmt::format("'{}' includes itself", path)));
    return;
  }
  if (!known_files_.insert(canonical).second) {
    return;  // a part counts once
  }
  const Result<std::shared_ptr<const Document>>& document = read_(path);
  if (!document.ok()) {
    // A fault in the part has its own place; that there is none has the place that names it.
    complain(document.error().kind == ErrorKind::kIo && named_by.exists() ? named_by.error(document.error().message)
                                                                          : document.error());
    return;
  }
  const Element root(document.value());
  if (!root.json().is_object()) {
    complain(root.error("a part of cases must be an object"));
    return;
  }
  if (const Element name = root.member("name"); name.exists()) {
    complain(name.key_error("'name' belongs to a case, not to a part that cases share"));
  }
  open_files_.push_back(canonical);
  add_layer(root);
  open_files_.pop_back();
}

void Builder::add_case(const Element& root) {
  std::error_code code;
  open_files_ = {fs::weakly_canonical(root.document().path(), code).string()};
  add_layer(root);
}

void Builder::add_layer(const Element& root) {
  const Element includes = root.member("includes");
  if (is_list_of_texts(includes.json())) {
    for (std::size_t i = 0; i < includes.size(); ++i) {
      const Element path = includes.item(i);
      add_part(resolve_path(path, path.json().get<std::string>()), path);
    }
  }
  const Element sets = root.member("sets");
  for (const std::string& name : sets.keys()) {
    sets_[name] = sets.member(name);
  }
  layers_.push_back(root);
}

ComposedValue Builder::build() {
  ComposedValue result = empty_like(layers_.back());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    result = merged(std::move(result), layer_value(layers_[i], i + 1 == layers_.size()), joins);
  }
  return result;
}

ComposedValue Builder::layer_value(const Element& layer, bool is_case) {
  const bool of_folder = fs::path(layer.document().path()).filename() == kFolderDefaults;
  ComposedValue value = expanded_object(layer);
  const auto drop = [&](const char* key, bool well_formed) {
    if (well_formed) {
      value.json.erase(key);
    }
  };
  drop("includes", value.json.contains("includes") && is_list_of_texts(value.json["includes"]));
  drop("sets", value.json.contains("sets") && value.json["sets"].is_object());
  drop("root", of_folder && value.json.contains("root") && value.json["root"].is_boolean());
  drop("$schema", !is_case);
  drop("description", !is_case);
  drop("name", !is_case);  // which has been complained of
  return value;
}

std::optional<std::vector<ComposedValue>> Builder::sets_of(const Element& element) {
  const Element use = element.member("use");
  if (set_parts_ > kMaxSetParts) {
    return std::nullopt;  // which has been complained of
  }
  std::vector<ComposedValue> values;
  const std::vector<std::string> names = used_sets(element.json()).value();
  for (const std::string& name : names) {
    const auto set = sets_.find(name);
    if (set == sets_.end()) {
      std::vector<std::string> known;
      for (const auto& [known_name, value] : sets_) {
        known.push_back(known_name);
      }
      complain(use.error(fmt::format("unknown set '{}'; {}", shortened(name),
                                     known.empty() ? "there are no 'sets' here"
                                                   : fmt::format("nearest known set is '{}'", nearest(name, known)))));
      return std::nullopt;
    }
    if (std::find(open_sets_.begin(), open_sets_.end(), name) != open_sets_.end()) {
      complain(use.error(fmt::format("set '{}' uses itself", name)));
      return std::nullopt;
    }
    open_sets_.push_back(name);
    values.push_back(expanded(set->second));
    open_sets_.pop_back();
    const std::size_t before = set_parts_;
    set_parts_ += 1 + values.back().json.size();
    if (set_parts_ > kMaxSetParts) {
      if (before <= kMaxSetParts) {
        complain(
            use.error(fmt::format("the sets that a case uses may bring in {} members and items in all; with '{}' "
                                  "they are more",
                                  kMaxSetParts, name)));
      }
      return std::nullopt;
    }
  }
  return values;
}

ComposedValue Builder::expanded(const Element& element) {
  if (!has_use(element.json())) {
    return as_it_stands(element);
  }
  return element.json().is_array() ? expanded_list(element) : expanded_object(element);
}

ComposedValue Builder::expanded_object(const Element& element) {
  const bool uses = used_sets(element.json()).has_value();
  ComposedValue own = empty_like(element);
  for (const std::string& key : element.keys()) {
    const Element member = element.member(key);
    if (!uses || key != "use") {
      put(own, key, is_opaque(key) || key == "sets" ? as_it_stands(member) : expanded(member));
    }
  }
  if (!uses) {
    return own;
  }
  const auto sets = sets_of(element);
  ComposedValue result = empty_like(element);
  for (const ComposedValue& set : sets.value_or(std::vector<ComposedValue>())) {
    if (!set.json.is_object()) {
      complain(element.member("use").error("a set that is used in an object must be an object"));
      continue;
    }
    result = merged(std::move(result), set, joins);
  }
  return merged(std::move(result), own, joins);
}

ComposedValue Builder::expanded_list(const Element& element) {
  ComposedValue result = empty_like(element);
  for (std::size_t i = 0; i < element.size(); ++i) {
    const Element item = element.item(i);
    const auto names = used_sets(item.json());
    const bool list = names && item.size() == 1 && std::any_of(names->begin(), names->end(), [&](const auto& name) {
                        const auto set = sets_.find(name);
                        return set != sets_.end() && set->second.json().is_array();
                      });
    if (!list) {
      append(result, expanded(item));
      continue;
    }
    const auto sets = sets_of(item);
    for (const ComposedValue& set : sets.value_or(std::vector<ComposedValue>())) {
      if (!set.json.is_array()) {
        append(result, set);
        continue;
      }
      for (std::size_t k = 0; k < set.json.size(); ++k) {
        append(result, take(set, k));
      }
    }
  }
  return result;
}

std::string parent_of(const std::string& folder) {
  const fs::path path(folder);
  std::error_code code;
  if (path.is_absolute()) {
    return path == path.root_path() ? "" : path.parent_path().string();
  }
  const bool climbs = std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
  if (climbs || path == ".") {
    const fs::path absolute = fs::absolute(path / "", code).lexically_normal().parent_path();
    return absolute == absolute.root_path() ? "" : absolute.parent_path().string();
  }
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace

const Composer::DocumentResult& Composer::read(const std::string& path) {
  const auto known = documents_.find(path);
  return known != documents_.end() ? known->second : documents_.emplace(path, Document::read(path)).first->second;
}

const std::vector<std::string>& Composer::defaults_of(const std::string& folder) {
  if (const auto known = defaults_.find(folder); known != defaults_.end()) {
    return known->second;
  }
  std::vector<std::string> files;
  const std::string file = folder == "." ? kFolderDefaults : (fs::path(folder) / kFolderDefaults).string();
  std::error_code code;
  const bool here = fs::exists(file, code);
  const bool is_root = here && read(file).ok() && Element(read(file).value()).member("root").json() == true;
  if (const std::string parent = parent_of(folder); !is_root && !parent.empty()) {
    files = defaults_of(parent);
  }
  if (here) {
    files.push_back(file);
  }
  return defaults_[folder] = std::move(files);
}

Composer::Composed Composer::compose(const std::shared_ptr<const Document>& document, bool with_folders) {
  const std::vector<std::string> none;
  const std::vector<std::string>& defaults = with_folders ? defaults_of(document->folder()) : none;
  const std::string& text = document->text();
  const auto mentions = [&](std::string_view key) {  // quotes are too many for std::string::find to be quick
    return ::memmem(text.data(), text.size(), key.data(), key.size()) != nullptr;
  };
  const Element root(document);
  const bool plain = defaults.empty() && !mentions("\"use\"") && !mentions("\"includes\"") && !mentions("\"sets\"");
  if (plain || !root.json().is_object()) {
    return {document, {}};
  }
  Builder builder([this](const std::string& path) -> const DocumentResult& { return read(path); });
  for (const std::string& file : defaults) {
    builder.add_part(file, Element());
  }
  builder.add_case(root);
  ComposedValue value = builder.build();
  std::vector<std::string> errors = builder.take_errors();
  if (!errors.empty()) {
    return {nullptr, std::move(errors)};
  }
  return {Document::composed(*document, std::move(value.json), std::move(value.origins)), {}};
}

}  // namespace assay::spec
