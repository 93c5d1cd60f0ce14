// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/unused.h"

#include <algorithm>
#include <set>

namespace assay::spec {
namespace {

bool is_conditional(const Expectation& expectation) {
  return expectation.has_unless || !expectation.when.terms.empty();
}

// Whether the entry drops a combination of the matrix; axes outside of it have their defaults.
bool drops_any(const AxisList& entry, const AxisList& matrix) {
  return std::all_of(entry.begin(), entry.end(), [&](const auto& term) {
    const auto axis = std::find_if(matrix.begin(), matrix.end(),
                                   [&](const auto& candidate) { return candidate.first == term.first; });
    const std::vector<Json> values =
        axis == matrix.end() ? std::vector<Json>{find_axis(term.first)->fallback} : axis->second;
    return std::any_of(values.begin(), values.end(), [&](const Json& value) {
      return std::find(term.second.begin(), term.second.end(), value) != term.second.end();
    });
  });
}

struct Entry {
  Element element;
  bool used = false;
  const char* message = "";
};

// Places of unused entries in the case's own file. An entry that a set brings in several times is unused only where it
// is every time. Places are looked for only where they are needed: that takes reading the file again.
std::vector<std::string> messages_of(const std::vector<Entry>& entries, const std::string& file) {
  if (std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.used; })) {
    return {};
  }
  std::set<std::string> used;
  for (const Entry& entry : entries) {
    if (entry.used) {
      used.insert(entry.element.where());
    }
  }
  std::vector<std::string> messages;
  for (const Entry& entry : entries) {
    const std::string where = entry.used ? "" : entry.element.where();
    if (where.starts_with(file + ":") && used.insert(where).second) {
      messages.push_back(where + ": warning: " + entry.message);
    }
  }
  sort_by_place(messages, file);
  return messages;
}

}  // namespace

bool has_conditions(const Case& test_case) {
  return std::any_of(test_case.expectations.begin(), test_case.expectations.end(), is_conditional) ||
         !test_case.references.empty() || !test_case.needs.empty() || !test_case.exclude.empty();
}

std::vector<std::string> unused_entries(const Case& test_case, const std::vector<Variant>& variants) {
  if (variants.empty()) {
    return {};
  }
  const auto fits_any = [&](const auto& fits) {
    return std::any_of(variants.begin(), variants.end(),
                       [&](const Variant& variant) { return fits(variant.configuration); });
  };
  std::vector<Entry> entries;
  const Element root = test_case.element;
  std::size_t excluded = 0;
  for (const Element& holder : {root.member("matrix"), root}) {
    const Element exclude = holder.member("exclude");
    for (std::size_t i = 0; i < exclude.size(); ++i) {
      entries.push_back({exclude.item(i), drops_any(test_case.exclude[excluded++], test_case.matrix),
                         "this entry excludes no variant of the case"});
    }
  }
  const Element needs = root.member("needs");
  for (std::size_t i = 0; i < test_case.needs.size(); ++i) {
    entries.push_back({needs.json().is_array() ? needs.item(i) : needs,
                       fits_any([&](const Configuration& c) { return test_case.needs[i].when.holds(c); }),
                       "this need is that of no variant of the case"});
  }
  for (const Reference& reference : test_case.references) {
    entries.push_back({reference.element,
                       fits_any([&](const Configuration& c) { return test_case.reference_for(c) == &reference; }),
                       "this reference is that of no variant of the case"});
  }
  for (const Expectation& expectation : test_case.expectations) {
    if (is_conditional(expectation)) {
      entries.push_back({expectation.element, fits_any([&](const Configuration& c) { return expectation.applies(c); }),
                         "this expectation applies to no variant of the case"});
    }
  }
  return messages_of(entries, test_case.path);
}

}  // namespace assay::spec
