// SPDX-License-Identifier: Apache-2.0
// A quick yes for documents that fit a JSON Schema: what it does not accept is left to the library, which can say why.
// Thousands of cases are listed in the time that the library takes for a few hundred.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "harness/spec/document.h"

namespace assay::spec {

class SchemaAcceptor {
 public:
  // The keywords of draft-07 that the schema of cases uses. A schema with any other is known() to be none, and then
  // nothing is accepted.
  explicit SchemaAcceptor(const Json& schema);
  SchemaAcceptor(const SchemaAcceptor&) = delete;
  SchemaAcceptor& operator=(const SchemaAcceptor&) = delete;

  bool known() const { return known_; }
  // True: the document fits the schema.
  bool accepts(const Json& value) const { return known_ && fits(*root_, value); }

 private:
  struct Sizes {
    std::size_t min = 0;
    std::size_t max = static_cast<std::size_t>(-1);
    bool allow(std::size_t size) const { return size >= min && size <= max; }
  };
  struct Node {
    unsigned types = 0;  // bits of the types allowed; 0: any
    bool has_values = false;
    std::vector<Json> values;  // enum
    std::map<std::string, const Node*, std::less<>> properties;
    bool free_keys = false;  // patternProperties has ^x-
    bool closed = false;     // additionalProperties is false
    const Node* additional = nullptr;
    const Node* items = nullptr;
    double minimum = 0;
    double maximum = 0;
    bool has_minimum = false;
    bool has_maximum = false;
    Sizes characters;  // of texts, in code points
    Sizes elements;    // of lists
    Sizes members;     // of objects
    std::vector<std::string> required;
    std::vector<std::pair<std::string, std::vector<std::string>>> dependencies;
    std::vector<const Node*> all_of;
    std::vector<const Node*> any_of;
    std::vector<const Node*> one_of;
  };

  const Node* node_at(const std::string& pointer, const Json& json);
  void read(Node& node, const std::string& pointer, const Json& json);
  void read_keyword(Node& node, const std::string& pointer, const std::string& key, const Json& value);
  std::vector<const Node*> read_list(const std::string& pointer, const Json& list);
  static bool fits(const Node& node, const Json& value);
  static bool fits_object(const Node& node, const Json& value);

  const Json& schema_;
  std::deque<Node> nodes_;
  std::map<std::string, const Node*> by_pointer_;  // so that every definition is read once
  const Node* root_ = nullptr;
  bool known_ = true;
};

}  // namespace assay::spec
