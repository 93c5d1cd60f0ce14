// SPDX-License-Identifier: Apache-2.0
// From a document that fits the schema to a Case: the rules that a schema cannot state.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/case.h"

namespace assay::spec {

// Collects messages, so that one reading of a case finds all that is wrong with it.
class Errors {
 public:
  void add(const Error& error) { messages_.push_back(error.message); }
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
};

// True for the members of fixed-key objects that are free.
inline bool is_free_key(const std::string& key) { return key.starts_with("x-"); }

Case parse_document(const Element& root, Errors& errors);

// Parts of it.
AxisList parse_axes(const Element& element, Errors& errors);
Condition parse_condition(const Element& element, Errors& errors);
DataSource parse_source(const Element& element, Errors& errors);
std::vector<Expectation> parse_expectations(const Element& element, Errors& errors);
std::vector<Reference> parse_references(const Element& element, Errors& errors);

}  // namespace assay::spec
