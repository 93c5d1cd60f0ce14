// SPDX-License-Identifier: Apache-2.0
#include "reports/json_field.h"

#include <string_view>

#include "reports/number_text.h"

namespace assay::reports {
namespace {

// What the library says, without its marks.
std::string reason_of(const std::exception& error) {
  const std::string_view text = error.what();
  const std::size_t mark = text.find("] ");
  return std::string(text.starts_with("[json.exception.") && mark != std::string_view::npos ? text.substr(mark + 2)
                                                                                            : text);
}

std::string escaped_token(const std::string& token) {
  std::string escaped;
  for (const char c : token) {
    escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return escaped;
}

double number_of(const Json& value) {
  const std::optional<double> number = number_from_json(value);
  if (!number) {
    throw FieldError("", std::string("must be a number, but is ") + value.type_name());
  }
  return *number;
}

}  // namespace

FieldError FieldError::within(const std::string& token) const {
  return {token.empty() ? pointer_ : "/" + escaped_token(token) + pointer_, reason_};
}

FieldError current_field_error(const std::string& token) {
  try {
    throw;
  } catch (const FieldError& error) {
    return error.within(token);
  } catch (const std::exception& error) {
    return FieldError("", reason_of(error)).within(token);
  }
}

const Json* find_member(const Json& json, const char* key) {
  if (!json.is_object()) {
    throw FieldError("", std::string("type must be object, but is ") + json.type_name());
  }
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

const Json& member(const Json& json, const char* key) {
  const Json* found = find_member(json, key);
  if (found == nullptr) {
    throw FieldError("", std::string("key '") + key + "' not found");
  }
  return *found;
}

void read_number_field(const Json& json, const char* key, double& out) {
  out = read_placed(member(json, key), key, number_of);
}

void read_number_field(const Json& json, const char* key, std::optional<double>& out) {
  if (const Json* value = find_member(json, key); value != nullptr && !value->is_null()) {
    out = read_placed(*value, key, number_of);
  }
}

void read_pair_field(const Json& json, const char* key, std::optional<double>& first, std::optional<double>& second) {
  if (const Json* pair = find_member(json, key)) {
    read_placed(*pair, key, [&](const Json& list) {
      if (!list.is_array() || list.size() != 2) {
        throw FieldError("", "must be a list of two numbers");
      }
      first = read_placed(list[0], "0", number_of);
      second = read_placed(list[1], "1", number_of);
    });
  }
}

}  // namespace assay::reports
