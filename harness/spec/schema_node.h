// SPDX-License-Identifier: Apache-2.0
// The parts of the case schema that apply to one place in a case.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/document.h"

namespace assay::spec {

// One step from the root of an instance to a place in it.
struct Step {
  bool is_index = false;
  std::string key;
  std::size_t index = 0;
};

// The schemas that apply at the end of the path, with $ref, allOf, anyOf and oneOf followed.
std::vector<const Json*> schema_nodes_at(const Json& schema, const std::vector<Step>& path);

// Over those nodes: the keys of objects that take no others, the values of enum, the names in type, and the first
// value of a keyword (null where none has it).
std::vector<std::string> known_keys(const std::vector<const Json*>& nodes);
std::vector<Json> known_values(const std::vector<const Json*>& nodes);
std::vector<std::string> known_types(const std::vector<const Json*>& nodes);
const Json* keyword(const std::vector<const Json*>& nodes, const std::string& name);

}  // namespace assay::spec
