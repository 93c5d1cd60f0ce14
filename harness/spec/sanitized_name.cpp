// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/sanitized_name.h"

namespace assay::spec {

std::string sanitized_name(const std::string& name) {
  std::string sanitized = name;
  for (char& c : sanitized) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '_' && c != '.' && c != '-') {
      c = '_';
    }
  }
  return sanitized;
}

}  // namespace assay::spec
