// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/composed_value.h"

#include <utility>

#include "harness/spec/json_scanner.h"

namespace assay::spec {
namespace {

bool is_inside(const std::string& pointer, const std::string& prefix) {
  return pointer.starts_with(prefix) && (pointer.size() == prefix.size() || pointer[prefix.size()] == '/');
}

std::string token_of(const std::string& key) { return "/" + escape_pointer_token(key); }

void add_origins(ComposedValue& holder, const std::string& prefix, std::vector<Document::Origin> origins) {
  for (Document::Origin& origin : origins) {
    origin.pointer.insert(0, prefix);
    holder.origins.push_back(std::move(origin));
  }
}

ComposedValue taken(const ComposedValue& value, const std::string& prefix, const Json& json) {
  ComposedValue part{json, {}};
  const Document::Origin* holder = nullptr;  // the innermost part that the taken one lies in
  for (const Document::Origin& origin : value.origins) {
    if (is_inside(origin.pointer, prefix)) {
      part.origins.push_back({origin.pointer.substr(prefix.size()), origin.document, origin.source});
    } else if (is_inside(prefix, origin.pointer) &&
               (holder == nullptr || origin.pointer.size() > holder->pointer.size())) {
      holder = &origin;
    }
  }
  const bool own = !part.origins.empty() && part.origins.front().pointer.empty();
  if (!own && holder != nullptr) {
    part.origins.insert(part.origins.begin(),
                        {"", holder->document, holder->source + prefix.substr(holder->pointer.size())});
  }
  return part;
}

}  // namespace

ComposedValue empty_like(const Element& element) {
  return {element.json().is_array() ? Json::array() : Json::object(),
          {{"", element.shared_document(), element.pointer()}}};
}

void put(ComposedValue& object, const std::string& key, ComposedValue value) {
  const std::string prefix = token_of(key);
  if (object.json.contains(key)) {
    std::erase_if(object.origins, [&](const auto& origin) { return is_inside(origin.pointer, prefix); });
  }
  object.json[key] = std::move(value.json);
  add_origins(object, prefix, std::move(value.origins));
}

void append(ComposedValue& list, ComposedValue value) {
  const std::string prefix = "/" + std::to_string(list.json.size());
  list.json.push_back(std::move(value.json));
  add_origins(list, prefix, std::move(value.origins));
}

ComposedValue take(const ComposedValue& value, const std::string& key) {
  return taken(value, token_of(key), value.json.at(key));
}

ComposedValue take(const ComposedValue& value, std::size_t index) {
  return taken(value, "/" + std::to_string(index), value.json.at(index));
}

ComposedValue merged(ComposedValue low, const ComposedValue& high, bool (*joined)(const std::string& key)) {
  for (const auto& [key, json] : high.json.items()) {
    ComposedValue value = take(high, key);
    if (!low.json.contains(key) || !joined(key)) {
      put(low, key, std::move(value));
      continue;
    }
    ComposedValue known = take(low, key);
    if (known.json.is_array() && json.is_array()) {
      for (std::size_t i = 0; i < json.size(); ++i) {
        append(known, take(value, i));
      }
      put(low, key, std::move(known));
    } else if (known.json.is_object() && json.is_object()) {
      put(low, key, merged(std::move(known), value, joined));
    } else {
      put(low, key, std::move(value));
    }
  }
  return low;
}

}  // namespace assay::spec
