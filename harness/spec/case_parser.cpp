// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/case_parser.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/spec/nearest.h"
#include "reports/printable.h"

namespace assay::spec {
namespace {

std::string text_of(const Element& element) {
  return element.json().is_string() ? element.json().get<std::string>() : std::string();
}

// Names are printed as name[axis=value,...] and matched by filters.
void check_name(const Element& element, Errors& errors) {
  for (const char c : text_of(element)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool shown_as_it_is = reports::printable(text_of(element)) == text_of(element);
    if (byte <= ' ' || !shown_as_it_is || std::string_view("[],=").find(c) != std::string_view::npos) {
      errors.add(
          element.error("'name' must not contain spaces, commas, brackets, equals signs, control characters or "
                        "characters that cannot be seen"));
      return;
    }
  }
}

ModelSource parse_model(const Element& element) {
  ModelSource model;
  model.element = element;
  if (const Element path = element.member("path"); path.exists()) {
    model.kind = ModelKind::kPath;
    model.path = resolve_path(path, text_of(path));
  } else if (const Element recipe = element.member("recipe"); recipe.exists()) {
    model.kind = ModelKind::kRecipe;
    model.recipe = text_of(recipe);
  } else {
    model.kind = ModelKind::kGraph;
  }
  return model;
}

std::vector<std::pair<std::string, DataSource>> parse_sources(const Element& element, Errors& errors) {
  std::vector<std::pair<std::string, DataSource>> sources;
  for (const std::string& name : element.keys()) {
    sources.emplace_back(name, parse_source(element.member(name), errors));
  }
  return sources;
}

Calibration parse_calibration(const Element& element, Errors& errors) {
  Calibration calibration;
  if (!element.json().is_array()) {
    const bool from_file = element.member("npy").exists() || element.member("npz").exists() ||
                           element.member("pb").exists() || element.member("values").exists();
    if (!element.member("samples").exists() && !from_file) {
      errors.add(element.error("one source of all samples needs 'samples', or give a list with one source a sample"));
    }
    calibration.stacked = parse_source(element, errors);
    return calibration;
  }
  for (std::size_t i = 0; i < element.size(); ++i) {
    calibration.samples.push_back(parse_source(element.item(i), errors));
  }
  return calibration;
}

void parse_all_calibration(const Element& element, Case& result, Errors& errors) {
  std::size_t lists = 0;
  for (const std::string& name : element.keys()) {
    const Element entry = element.member(name);
    Calibration calibration = parse_calibration(entry, errors);
    if (!calibration.stacked) {
      const std::size_t count = calibration.samples.size();
      if (lists != 0 && lists != count) {
        errors.add(entry.error(
            fmt::format("calibration of '{}' has {} samples, that of other inputs {}", name, count, lists)));
      }
      lists = count;
    }
    result.calibration.emplace_back(name, std::move(calibration));
  }
}

void parse_matrix(const Element& root, Case& result, Errors& errors) {
  const Element matrix = root.member("matrix");
  result.matrix = parse_axes(matrix, errors);
  for (const Element& holder : {matrix, root}) {
    const Element include = holder.member("include");
    for (std::size_t i = 0; i < include.size(); ++i) {
      result.include.push_back(parse_axes(include.item(i), errors));
    }
    const Element exclude = holder.member("exclude");
    for (std::size_t i = 0; i < exclude.size(); ++i) {
      AxisList entry = parse_axes(exclude.item(i), errors);
      if (entry.empty()) {
        errors.add(exclude.item(i).error("an exclude entry without an axis would drop every variant"));
        continue;
      }
      result.exclude.push_back(std::move(entry));
    }
  }
}

// Whether any variant can have the value: it stands in the matrix, in an include entry, or is the default.
bool can_have(const Case& test_case, const std::string& axis, const Json& value) {
  bool named = false;
  std::vector<const AxisList*> lists = {&test_case.matrix};
  for (const AxisList& entry : test_case.include) {
    lists.push_back(&entry);
  }
  for (const AxisList* list : lists) {
    for (const auto& [name, values] : *list) {
      if (name == axis) {
        named = named || list == &test_case.matrix;
        if (std::find(values.begin(), values.end(), value) != values.end()) {
          return true;
        }
      }
    }
  }
  return !named && value == find_axis(axis)->fallback;
}

void parse_timing(const Element& element, Case& result, Errors& errors) {
  if (!element.exists()) {
    return;
  }
  Timing timing;
  timing.compare = text_of(element.member("compare"));
  const Element baseline = element.member("baseline");
  const Axis* axis = find_axis(timing.compare);
  auto value = check_axis_value(*axis, baseline.json());
  if (!value.ok()) {
    errors.add(baseline.error(value.error().message));
    return;
  }
  timing.baseline = std::move(value).value();
  if (!can_have(result, timing.compare, timing.baseline)) {
    errors.add(baseline.error(fmt::format("no variant of the matrix has {}={}, so there is no baseline to compare with",
                                          timing.compare, axis_value_text(timing.baseline))));
  }
  if (const Element speedup = element.member("at_least_speedup"); speedup.exists()) {
    timing.at_least_speedup = speedup.json().get<double>();
  }
  result.timing = std::move(timing);
}

void parse_dataset(const Element& element, Case& result, Errors& errors) {
  if (!element.exists()) {
    return;
  }
  for (const char* key : {"inputs", "labels"}) {
    if (!element.member(key).exists()) {
      errors.add(element.error(fmt::format("'dataset' has no '{}'", key)));
      return;
    }
  }
  DatasetSource dataset;
  dataset.inputs = parse_sources(element.member("inputs"), errors);
  const Element labels = element.member("labels");
  dataset.labels = labels.json().is_array() ? DataSource{labels} : parse_source(labels, errors);
  result.dataset = std::move(dataset);
  if (result.element.member("inputs").exists()) {
    errors.add(element.key_error("a case has 'inputs' or a 'dataset', not both"));
  }
}

std::vector<std::string> texts_of(const Element& element) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < element.size(); ++i) {
    texts.push_back(text_of(element.item(i)));
  }
  return texts;
}

Needs parse_need(const Element& element, Errors& errors) {
  Needs needs;
  needs.when = parse_condition(element.member("when"), errors);
  needs.features = texts_of(element.member("features"));
  needs.runtimes = texts_of(element.member("runtimes"));
  needs.packages = texts_of(element.member("packages"));
  needs.programs = texts_of(element.member("programs"));
  const Element files = element.member("files");
  for (std::size_t i = 0; i < files.size(); ++i) {
    needs.files.push_back(resolve_path(files.item(i), text_of(files.item(i))));
  }
  const auto number = [&](const char* key) {
    const Element member = element.member(key);
    return member.exists() ? static_cast<Index>(member.json().get<double>()) : Index{0};
  };
  needs.cores = number("cores");
  needs.memory_mb = number("memory_mb");
  return needs;
}

std::vector<Needs> parse_needs(const Element& element, Errors& errors) {
  std::vector<Needs> needs;
  if (element.json().is_array()) {
    for (std::size_t i = 0; i < element.size(); ++i) {
      needs.push_back(parse_need(element.item(i), errors));
    }
  } else if (element.exists()) {
    needs.push_back(parse_need(element, errors));
  }
  return needs;
}

// A path in an axis is relative to the case, also where it stands in a part that lies elsewhere.
std::string relative_to_case(const Element& entry, const std::string& path) {
  const std::string folder = entry.document().folder();
  if (entry.document().folder_at(entry.pointer()) == folder || std::filesystem::path(path).is_absolute()) {
    return path;
  }
  return std::filesystem::path(resolve_path(entry, path)).lexically_proximate(folder).string();
}

}  // namespace

AxisList parse_axes(const Element& element, Errors& errors) {
  AxisList list;
  for (const std::string& name : element.keys()) {
    if (is_free_key(name) || name == "include" || name == "exclude") {
      continue;
    }
    const Element entry = element.member(name);
    const Axis* axis = find_axis(name);
    if (axis == nullptr) {
      errors.add(entry.key_error(unknown_axis_message(name)));
      continue;
    }
    auto values = axis_values(*axis, entry.json());
    if (!values.ok()) {
      errors.add(entry.error(values.error().message));
      continue;
    }
    for (Json& value : values.value()) {
      if (axis->kind == AxisKind::kRanges && value.is_string()) {
        value = relative_to_case(entry, value.get<std::string>());
      }
    }
    list.emplace_back(name, std::move(values).value());
  }
  return list;
}

Condition parse_condition(const Element& element, Errors& errors) { return {parse_axes(element, errors)}; }

DataSource parse_source(const Element& element, Errors& errors) {
  const Element scale = element.member("scale").exists() ? element.member("scale") : element.member("offset");
  const bool file = element.member("npy").exists() || element.member("npz").exists() || element.member("pb").exists();
  if (scale.exists() && !file) {
    errors.add(scale.key_error("'scale' and 'offset' apply to npy, npz and pb"));
  }
  if (const Element random = element.member("random"); random.exists()) {
    const Element low = random.member("low");
    const Element high = random.member("high");
    if (low.exists() && high.exists() && low.json().get<double>() > high.json().get<double>()) {
      errors.add(low.error(fmt::format("'low' {} is above 'high' {}", low.json().dump(), high.json().dump())));
    }
  }
  return {element};
}

Case parse_document(const Element& root, Errors& errors) {
  Case result;
  result.element = root;
  result.path = root.document().path();
  result.folder = root.document().folder();
  result.name = text_of(root.member("name"));
  check_name(root.member("name"), errors);
  result.description = text_of(root.member("description"));
  result.tags = texts_of(root.member("tags"));
  result.tier = tier_of_name(text_of(root.member("tier"))).value_or(Tier::kNightly);
  result.needs = parse_needs(root.member("needs"), errors);
  result.model = parse_model(root.member("model"));
  const Element inputs = root.member("inputs");
  result.inputs = parse_sources(inputs, errors);
  result.test_data = inputs.json().is_string() ? resolve_path(inputs, text_of(inputs)) : "";
  const Element calibration = root.member("calibration");
  parse_all_calibration(calibration, result, errors);
  result.calibration_data = calibration.json().is_string() ? resolve_path(calibration, text_of(calibration)) : "";
  parse_dataset(root.member("dataset"), result, errors);
  parse_matrix(root, result, errors);
  result.references = parse_references(root.member("reference"), errors);
  result.expectations = parse_expectations(root.member("expect"), errors);
  if (const Element weak = root.member("weak_ok"); weak.exists()) {
    result.weak_ok = text_of(weak);
  }
  result.ledger = root.member("ledger").json() == true;
  parse_timing(root.member("timing"), result, errors);
  return result;
}

}  // namespace assay::spec
