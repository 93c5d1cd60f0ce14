// SPDX-License-Identifier: Apache-2.0
// A JSON value under construction whose parts come from several documents.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/document.h"

namespace assay::spec {

struct ComposedValue {
  Json json;
  std::vector<Document::Origin> origins;  // pointers are relative to this value; "" is the value itself
};

// An empty object or list that stands where `element` does.
ComposedValue empty_like(const Element& element);

// Puts a value under a key, in place of one that is there, or behind the items of a list.
void put(ComposedValue& object, const std::string& key, ComposedValue value);
void append(ComposedValue& list, ComposedValue value);

// What is under a key or index, with its origins.
ComposedValue take(const ComposedValue& value, const std::string& key);
ComposedValue take(const ComposedValue& value, std::size_t index);

// The keys of `high` over those of `low`: a key of both has the value of `high` at the place of `low`. Where
// `joined(key)` holds and both values are lists, that of `high` is put behind that of `low`; where both are objects,
// they are merged likewise.
ComposedValue merged(ComposedValue low, const ComposedValue& high, bool (*joined)(const std::string& key));

}  // namespace assay::spec
