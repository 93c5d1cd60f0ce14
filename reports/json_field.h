// SPDX-License-Identifier: Apache-2.0
// Reading of JSON objects whose errors say where: a FieldError carries the JSON pointer of the value at fault.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

namespace assay::reports {

using Json = nlohmann::ordered_json;

class FieldError : public std::exception {
 public:
  FieldError(std::string pointer, std::string reason) : pointer_(std::move(pointer)), reason_(std::move(reason)) {}
  // The same error seen from the value that holds the one at `token`.
  FieldError within(const std::string& token) const;
  const std::string& reason() const { return reason_; }
  std::string message() const { return (pointer_.empty() ? "the document" : pointer_) + ": " + reason_; }
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string pointer_;
  std::string reason_;
};

// The error that is being handled, as of a value at `token` ("": the value itself). Call it in a handler only.
FieldError current_field_error(const std::string& token);

// read(value) with its errors placed at `token`.
template <typename Value, typename Read>
decltype(auto) read_placed(Value&& value, const std::string& token, const Read& read) {
  try {
    return read(std::forward<Value>(value));
  } catch (const std::exception&) {
    throw current_field_error(token);
  }
}

// The member, which has to be there.
const Json& member(const Json& json, const char* key);
// The member, or null where there is none. An error where `json` is no object.
const Json* find_member(const Json& json, const char* key);

template <typename T>
void read_field(const Json& json, const char* key, T& out) {
  out = read_placed(member(json, key), key, [](const Json& value) { return value.get<T>(); });
}

// Leaves `out` as it is where there is no such member.
template <typename T>
void read_optional_field(const Json& json, const char* key, T& out) {
  if (const Json* value = find_member(json, key)) {
    out = read_placed(*value, key, [](const Json& found) { return found.get<T>(); });
  }
}

// Numbers as number_json writes them.
void read_number_field(const Json& json, const char* key, double& out);
// Nothing also where the member is null.
void read_number_field(const Json& json, const char* key, std::optional<double>& out);
// A list of two numbers; `out` as it is where there is none.
void read_pair_field(const Json& json, const char* key, std::optional<double>& first, std::optional<double>& second);

// read(item) for every item of a list; of none where there is no such member.
template <typename Read>
void read_items(const Json& json, const char* key, const Read& read) {
  const Json* list = find_member(json, key);
  if (list == nullptr) {
    return;
  }
  read_placed(*list, key, [&](const Json& items) {
    if (!items.is_array()) {
      throw FieldError("", std::string("type must be array, but is ") + items.type_name());
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      read_placed(items[i], std::to_string(i), read);
    }
  });
}

}  // namespace assay::reports
