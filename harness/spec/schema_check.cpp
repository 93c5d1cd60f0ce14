// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/schema_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "harness/spec/axis.h"
#include "harness/spec/case.h"
#include "harness/spec/json_scanner.h"
#include "harness/spec/nearest.h"
#include "harness/spec/schema_accept.h"
#include "harness/spec/schema_node.h"

namespace assay::spec {
namespace {

using Violation = valijson::ValidationResults::Error;

const Json& schema_json() {
  static const Json kSchema = Json::parse(case_schema_text());
  return kSchema;
}

// A place in the case that valijson names: "<root>", "[key]", "[0]".
struct Place {
  std::vector<Step> path;
  Element element;
};

Place find_place(const Element& root, const std::vector<std::string>& context) {
  Place place;
  place.element = root;
  for (std::size_t i = 1; i < context.size(); ++i) {
    Step step;
    step.key = context[i].substr(1, context[i].size() - 2);
    step.is_index = place.element.json().is_array();
    if (step.is_index) {
      step.index = static_cast<std::size_t>(std::stoul(step.key));
    }
    place.element = step.is_index ? place.element.item(step.index) : place.element.member(step.key);
    place.path.push_back(std::move(step));
  }
  return place;
}

std::string type_word(const std::string& type) {
  if (type == "array") {
    return "a list";
  }
  if (type == "object") {
    return "an object";
  }
  if (type == "string") {
    return "a text";
  }
  if (type == "boolean") {
    return "true or false";
  }
  if (type == "integer") {
    return "a whole number";
  }
  return type == "null" ? "null" : "a number";
}

// What stands there, briefly.
std::string found_text(const Json& value) {
  if (value.is_object()) {
    return value.empty() ? "an empty object" : "an object";
  }
  if (value.is_array()) {
    return value.empty() ? "an empty list" : "a list";
  }
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string place_name(const Place& place) {
  if (place.path.empty()) {
    return "the case";
  }
  const Step& last = place.path.back();
  if (!last.is_index) {
    return "'" + shortened(last.key) + "'";
  }
  for (std::size_t i = place.path.size(); i-- > 0;) {
    if (!place.path[i].is_index) {
      return fmt::format("item {} of '{}'", last.index, shortened(place.path[i].key));
    }
  }
  return fmt::format("item {}", last.index);
}

// The text between the last pair of single quotes of valijson's description, which ends in "'x'.".
std::string quoted_name(std::string_view description, std::string_view before) {
  const std::size_t begin = description.find(before);
  if (begin == std::string_view::npos) {
    return {};
  }
  std::string_view rest = description.substr(begin + before.size());
  rest = rest.substr(0, rest.rfind('\''));
  return std::string(rest);
}

std::string unknown_key(const Place& place, const std::string& key, const std::vector<const Json*>& nodes) {
  const std::vector<std::string> known = known_keys(nodes);
  const bool of_axes = std::find(known.begin(), known.end(), "runtime.isa") != known.end();
  const std::string place_of =
      place.element.member(key).exists() ? place.element.member(key).key_error("").message : place.element.where();
  const std::string where = place_of.substr(0, place_of.rfind(": "));
  return fmt::format("{}: unknown {} '{}'; nearest known {} is '{}'", where, of_axes ? "axis" : "key", shortened(key),
                     of_axes ? "axis" : "key", nearest(key, known));
}

std::string wrong_value(const Place& place, const std::vector<const Json*>& nodes) {
  const std::vector<Json> values = known_values(nodes);
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const Json& value : values) {
    words.push_back(axis_value_text(value));
  }
  const Json& found = place.element.json();
  if (!found.is_string()) {
    return fmt::format("{} must be one of {}, found {}", place_name(place), fmt::join(words, ", "), found_text(found));
  }
  const std::string word = found.get<std::string>();
  return fmt::format("unknown value '{}' of {}; nearest known value is '{}'", shortened(word), place_name(place),
                     nearest(word, words));
}

std::string limit_text(const Json* limit) { return limit == nullptr ? std::string("?") : limit->dump(); }

// Whole numbers up to this size are whole for the schema's check too; it takes larger ones for fractions.
constexpr const char* kLargestInteger = "18446744073709551615";

std::string wrong_type(const Place& place, const std::vector<const Json*>& nodes) {
  const Json& found = place.element.json();
  const std::vector<std::string> types = known_types(nodes);
  if (std::find(types.begin(), types.end(), "integer") != types.end() && found.is_number_float() &&
      found.get<double>() == std::floor(found.get<double>())) {
    const Json* least = keyword(nodes, "minimum");
    const Json* largest = keyword(nodes, "maximum");
    return fmt::format("{} must be a whole number from {} to {}, found {}", place_name(place),
                       least == nullptr ? "-9223372036854775808" : least->dump(),
                       largest == nullptr ? kLargestInteger : largest->dump(),
                       shortened(place.element.document().number_text(place.element.pointer())));
  }
  std::vector<std::string> words;
  for (const std::string& type : known_types(nodes)) {
    words.push_back(type_word(type));
  }
  return fmt::format("{} must be {}, found {}", place_name(place), fmt::join(words, " or "),
                     found_text(place.element.json()));
}

std::string missing_dependency(const Place& place, const std::string& needed, const std::vector<const Json*>& nodes) {
  if (const Json* dependencies = keyword(nodes, "dependencies")) {
    for (const std::string& key : place.element.keys()) {
      const auto found = dependencies->find(key);
      if (found != dependencies->end() && std::find(found->begin(), found->end(), needed) != found->end()) {
        return place.element.member(key)
            .key_error(fmt::format("'{}' has a meaning only with '{}'", key, needed))
            .message;
      }
    }
  }
  return place.element.error(fmt::format("key '{}' is missing", needed)).message;
}

// The keys of which an object needs exactly one.
std::string wrong_choice(const Place& place, const std::vector<const Json*>& nodes) {
  std::vector<std::string> keys;
  std::vector<std::string> given;
  if (const Json* choices = keyword(nodes, "oneOf")) {
    for (const Json& choice : *choices) {
      const std::string key = choice.at("required").at(0).get<std::string>();
      keys.push_back("'" + key + "'");
      if (place.element.member(key).exists()) {
        given.push_back("'" + key + "'");
      }
    }
  }
  if (given.empty()) {
    return fmt::format("{} needs one of {}", place_name(place), fmt::join(keys, ", "));
  }
  return fmt::format("{} has {}; exactly one of {} is allowed", place_name(place), fmt::join(given, " and "),
                     fmt::join(keys, ", "));
}

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
}

// A text, list or object of which there is too little or too much.
std::string wrong_size(const Place& place, const std::vector<const Json*>& nodes, bool too_much) {
  const Json& found = place.element.json();
  const std::size_t size = found.is_string() ? code_points(found.get_ref<const std::string&>()) : found.size();
  if (size == 0) {
    return place_name(place) + " must not be empty";
  }
  const char* unit = found.is_string() ? "characters" : found.is_array() ? "items" : "keys";
  const std::string name = std::string(too_much ? "max" : "min") + (found.is_string()  ? "Length"
                                                                    : found.is_array() ? "Items"
                                                                                       : "Properties");
  return fmt::format("{} must have at {} {} {}, found {}", place_name(place), too_much ? "most" : "least",
                     limit_text(keyword(nodes, name)), unit, size);
}

// The axis whose value the place is in, if it is in one, as the element of that value.
std::optional<Place> axis_place(const Element& root, const Place& place) {
  Place axis;
  axis.element = root;
  for (std::size_t i = 0; i < place.path.size(); ++i) {
    const Step& step = place.path[i];
    axis.element = step.is_index ? axis.element.item(step.index) : axis.element.member(step.key);
    axis.path.push_back(step);
    if (i == 0 || step.is_index || find_axis(step.key) == nullptr) {
      continue;
    }
    const Step& parent = place.path[i - 1];
    const std::string& holder = parent.is_index && i >= 2 ? place.path[i - 2].key : parent.key;
    for (const std::string_view known : {"matrix", "include", "exclude", "when", "unless", "configuration"}) {
      if (holder == known) {
        return axis;
      }
    }
  }
  return std::nullopt;
}

// valijson reports a violation again at every level above it, and once for each alternative.
bool is_echo(std::string_view description) {
  for (const std::string_view echo :
       {"Failed to validate against child schema", "Failed to validate against schema associated",
        "Failed to validate against any schemas allowed by anyOf", "Failed to validate item #",
        "Failed to validate against additional properties"}) {
    if (description.starts_with(echo)) {
      return true;
    }
  }
  return false;
}

struct Finding {
  std::vector<std::string> context;
  std::string message;  // with its position
  bool is_type = false;
  bool entered = false;  // the value has the right type, and fails by its size or its keys
};

class Translator {
 public:
  explicit Translator(const Element& root) : root_(root) {}

  void add(const Violation& violation, bool required_of_choice);
  void add_message(std::string message) { findings_.push_back({{}, std::move(message), false, false}); }
  // In the order of the file.
  std::vector<std::string> messages() const;

 private:
  enum class Kind { kOther, kType, kEntered };
  void add_finding(const Violation& violation, std::string message, Kind kind = Kind::kOther);

  Element root_;
  std::vector<Finding> findings_;
};

void Translator::add_finding(const Violation& violation, std::string message, Kind kind) {
  findings_.push_back({violation.context, std::move(message), kind == Kind::kType, kind == Kind::kEntered});
}

void Translator::add(const Violation& violation, bool required_of_choice) {
  const std::string_view description = violation.description;
  if (is_echo(description) || required_of_choice) {
    return;
  }
  const Place place = find_place(root_, violation.context);
  if (const auto axis = axis_place(root_, place)) {
    const auto values = axis_values(*find_axis(axis->path.back().key), axis->element.json());
    if (!values.ok()) {
      add_finding(violation, axis->element.error(values.error().message).message);
      return;
    }
  }
  const auto nodes = schema_nodes_at(schema_json(), place.path);
  const auto at = [&](const std::string& message) { return place.element.error(message).message; };
  const auto begins = [&](std::string_view text) { return description.starts_with(text); };
  if (begins("Object contains a property")) {
    add_finding(violation, unknown_key(place, quoted_name(description, "constraints: '"), nodes));
  } else if (begins("Missing required property")) {
    add_finding(violation,
                at(fmt::format("{} has no '{}'", place_name(place), quoted_name(description, "property '"))));
  } else if (begins("Missing dependency")) {
    add_finding(violation, missing_dependency(place, quoted_name(description, "dependency '"), nodes));
  } else if (begins("Value type not permitted")) {
    add_finding(violation, at(wrong_type(place, nodes)), Kind::kType);
  } else if (begins("Failed to match against any enum")) {
    add_finding(violation, at(wrong_value(place, nodes)));
  } else if (begins("Failed to validate against any child schemas") || begins("Failed to validate against exactly")) {
    if (place.element.json().is_object()) {
      add_finding(violation, at(wrong_choice(place, nodes)), Kind::kEntered);
    }
  } else if (begins("Expected number greater")) {
    add_finding(violation, at(fmt::format("{} must be at least {}, found {}", place_name(place),
                                          limit_text(keyword(nodes, "minimum")), found_text(place.element.json()))));
  } else if (begins("Expected number less")) {
    add_finding(violation, at(fmt::format("{} must be at most {}, found {}", place_name(place),
                                          limit_text(keyword(nodes, "maximum")), found_text(place.element.json()))));
  } else if (begins("Array should contain no fewer") || begins("Object should have no fewer") ||
             begins("String should be no fewer")) {
    add_finding(violation, at(wrong_size(place, nodes, false)), Kind::kEntered);
  } else if (begins("Array should contain no more") || begins("Object should have no more") ||
             begins("String should be no more")) {
    add_finding(violation, at(wrong_size(place, nodes, true)), Kind::kEntered);
  } else {
    add_finding(violation, at(place_name(place) + ": " + violation.description));
  }
}

std::vector<std::string> Translator::messages() const {
  std::vector<std::string> messages;
  for (const Finding& finding : findings_) {
    // A value of the wrong type for one alternative is no news where another alternative was entered: it failed deeper,
    // or at the same place by its size or its keys.
    const auto entered = [&](const Finding& other) {
      return other.context.size() >= finding.context.size() + (other.entered ? 0 : 1) &&
             std::equal(finding.context.begin(), finding.context.end(), other.context.begin());
    };
    const bool superseded = finding.is_type && std::any_of(findings_.begin(), findings_.end(), entered);
    if (!superseded && std::find(messages.begin(), messages.end(), finding.message) == messages.end()) {
      messages.push_back(finding.message);
    }
  }
  sort_by_place(messages, root_.document().path());
  return messages;
}

// Draft-07 takes 2.0 for an integer, valijson does not; and it takes integers beyond int64 for negative ones. No limit
// of the schema lies beyond int64.
void use_integers(nlohmann::json& json) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(kLargest)) {
    json = kLargest;
  }
  if (json.is_number_float()) {
    const auto value = json.get<double>();
    if (value == std::floor(value) && std::fabs(value) <= 0x1p53) {
      json = static_cast<std::int64_t>(value);
    }
  }
  if (json.is_structured()) {
    for (nlohmann::json& item : json) {
      use_integers(item);
    }
  }
}

// Conditional rules (if/then in an allOf) are for editors and other validators: the parser of cases checks the same and
// says more about it than a failed condition can.
void drop_conditions(nlohmann::json& schema) {
  if (schema.is_object() && schema.contains("allOf")) {
    nlohmann::json& all = schema.at("allOf");
    std::erase_if(all.get_ref<nlohmann::json::array_t&>(),
                  [](const nlohmann::json& item) { return item.contains("if"); });
    if (all.empty()) {
      schema.erase("allOf");
    }
  }
  if (schema.is_structured()) {
    for (nlohmann::json& item : schema) {
      drop_conditions(item);
    }
  }
}

struct Checker {
  Checker() {
    valijson::SchemaParser parser;
    nlohmann::json json = nlohmann::json::parse(case_schema_text());
    drop_conditions(json);
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json), schema);
  }
  valijson::Schema schema;
};

// What a case needs and a part of cases, which has the same schema, does not.
std::vector<std::string> missing_keys(const Element& root) {
  std::vector<std::string> messages;
  for (const char* key : {"name", "model"}) {
    if (root.json().is_object() && !root.member(key).exists()) {
      messages.push_back(root.error(fmt::format("the case has no '{}'", key)).message);
    }
  }
  return messages;
}

const SchemaAcceptor& acceptor() {
  static const SchemaAcceptor kAcceptor(schema_json());
  return kAcceptor;
}

std::vector<std::string> violations(const std::shared_ptr<const Document>& document) {
  static const Checker kChecker;
  nlohmann::json plain = document->root();
  use_integers(plain);
  valijson::Validator validator;
  valijson::ValidationResults results;
  const bool fits = validator.validate(kChecker.schema, valijson::adapters::NlohmannJsonAdapter(plain), &results);
  if (fits && missing_keys(Element(document)).empty()) {
    return {};
  }
  Translator translator{Element(document)};
  for (std::string& message : missing_keys(Element(document))) {
    translator.add_message(std::move(message));
  }
  const std::vector<Violation> all(results.begin(), results.end());
  for (std::size_t i = 0; i < all.size() && i < 40 * kMaxErrorsPerFile; ++i) {
    // "Missing required property" right before its "child schema" belongs to a oneOf, which speaks for itself.
    const bool required_of_choice = i + 1 < all.size() && all[i].context == all[i + 1].context &&
                                    all[i].description.starts_with("Missing required property") &&
                                    all[i + 1].description.starts_with("Failed to validate against child schema");
    translator.add(all[i], required_of_choice);
  }
  std::vector<std::string> messages = translator.messages();
  if (messages.empty()) {
    messages.push_back(document->path() + ": the case does not fit the schema");
  }
  if (messages.size() > kMaxErrorsPerFile) {
    const std::size_t more = messages.size() - kMaxErrorsPerFile;
    messages.resize(kMaxErrorsPerFile);
    messages.push_back(fmt::format("{}: and {} more errors", document->path(), more));
  }
  return messages;
}

}  // namespace

std::vector<std::string> check_schema(const std::shared_ptr<const Document>& document) {
  const bool whole = missing_keys(Element(document)).empty();
  return whole && acceptor().accepts(document->root()) ? std::vector<std::string>() : library_violations(document);
}

std::vector<std::string> library_violations(const std::shared_ptr<const Document>& document) {
  try {
    return violations(document);
  } catch (const std::exception& error) {
    return {document->path() + ": the check against the schema failed: " + error.what()};
  }
}

}  // namespace assay::spec
