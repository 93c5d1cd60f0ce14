// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/passes/fact_rules.h"

namespace assay::passes {
namespace {

// The dimension that is left when `others` are taken out of the product of `all`: the target of a -1.
Dim remaining_dim(const std::vector<Dim>& all, const std::vector<Dim>& others) {
  Index product = 1;
  std::vector<Dim> open;
  for (const Dim& dim : all) {
    if (!dim.known()) {
      open.push_back(dim);
    } else if (dim.size == 0 || product > kMaxElements / dim.size) {
      return {};
    } else {
      product *= dim.size;
    }
  }
  for (const Dim& dim : others) {
    const auto found = std::find_if(open.begin(), open.end(), [&](const Dim& other) { return same_dim(dim, other); });
    if (found != open.end()) {
      open.erase(found);
    } else if (!dim.known() || dim.size == 0 || product % dim.size != 0) {
      return {};
    } else {
      product /= dim.size;
    }
  }
  if (open.empty()) {
    return known_dim(product);
  }
  return open.size() == 1 && product == 1 ? open[0] : Dim{};
}

void reshape(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto& target = context.input(1).elements;
  if (!target.has_value()) {
    return;
  }
  std::vector<Dim> dims = *target;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].size == 0 && context.node.int_attribute("allowzero", 0) == 0) {
      dims[i] = x.has_value() && i < x->size() ? (*x)[i] : Dim{};
    }
    if (!dims[i].known() && dims[i].name.empty()) {
      open.push_back(i);
    }
  }
  if (open.size() == 1 && x.has_value()) {
    std::vector<Dim> others = dims;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(open[0]));
    dims[open[0]] = remaining_dim(*x, others);
  }
  outputs[0].dims = std::move(dims);
  if (outputs[0].dims->size() == 1) {
    outputs[0].elements = context.input(0).elements;
  }
}

void flatten(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  if (!x.has_value()) {
    return;
  }
  const auto rank = static_cast<Index>(x->size());
  const Index axis = context.node.int_attribute("axis", 1);
  if (axis < -rank || axis > rank) {
    return;
  }
  const auto split = x->begin() + (axis < 0 ? axis + rank : axis);
  outputs[0].dims = {remaining_dim({x->begin(), split}, {}), remaining_dim({split, x->end()}, {})};
}

void squeeze(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto axes = context.list("axes", 1);
  if (!x.has_value() || !axes.has_value()) {
    return;
  }
  std::vector<bool> removed(x->size(), false);
  for (const Index axis : *axes) {
    const auto at = checked_axis(axis, x->size());
    if (!at.has_value()) {
      return;
    }
    removed[*at] = true;
  }
  outputs[0].dims.emplace();
  for (std::size_t i = 0; i < x->size(); ++i) {
    if (!removed[i]) {
      outputs[0].dims->push_back((*x)[i]);
    }
  }
  outputs[0].elements = context.input(0).elements;
}

void unsqueeze(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto axes = context.list("axes", 1);
  if (!x.has_value() || !axes.has_value()) {
    return;
  }
  std::vector<bool> added(x->size() + axes->size(), false);
  for (const Index axis : *axes) {
    const auto at = checked_axis(axis, added.size());
    if (!at.has_value() || added[*at]) {
      return;
    }
    added[*at] = true;
  }
  outputs[0].dims.emplace();
  std::size_t next = 0;
  for (const bool is_new : added) {
    outputs[0].dims->push_back(is_new ? known_dim(1) : (*x)[next++]);
  }
  if (added.size() == 1) {
    outputs[0].elements = context.input(0).elements;
  }
}

void transpose(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  std::vector<Index> perm = context.node.ints_attribute("perm");
  if (!x.has_value()) {
    return;
  }
  for (std::size_t i = 0; i < x->size() && !context.node.has_attribute("perm"); ++i) {
    perm.insert(perm.begin(), static_cast<Index>(i));
  }
  const auto outside = [&](Index axis) { return axis < 0 || axis >= static_cast<Index>(x->size()); };
  if (perm.size() != x->size() || std::any_of(perm.begin(), perm.end(), outside)) {
    return;
  }
  outputs[0].dims.emplace();
  for (const Index axis : perm) {
    outputs[0].dims->push_back((*x)[static_cast<std::size_t>(axis)]);
  }
}

void concat(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& first = context.input(0).dims;
  if (!first.has_value()) {
    return;
  }
  const auto axis = checked_axis(context.node.int_attribute("axis", 0), first->size());
  if (!axis.has_value()) {
    return;
  }
  std::vector<Dim> dims = *first;
  std::optional<std::vector<Dim>> elements = context.input(0).elements;
  for (std::size_t i = 1; i < context.inputs.size(); ++i) {
    const auto& other = context.inputs[i].dims;
    if (!other.has_value() || other->size() != dims.size()) {
      return;
    }
    const bool known = dims[*axis].known() && (*other)[*axis].known();
    dims[*axis] = known ? known_dim(dims[*axis].size + (*other)[*axis].size) : Dim{};
    if (elements.has_value() && context.inputs[i].elements.has_value()) {
      elements->insert(elements->end(), context.inputs[i].elements->begin(), context.inputs[i].elements->end());
    } else {
      elements.reset();
    }
  }
  outputs[0].dims = std::move(dims);
  outputs[0].elements = std::move(elements);
}

// Where x[start:end:step] begins and how many elements it takes of `size`; step above 0.
std::pair<Index, Index> slice_span(Index start, Index end, Index step, Index size) {
  const auto place = [&](Index value) { return std::clamp<Index>(value < 0 ? value + size : value, 0, size); };
  const Index first = place(start);
  const Index count = std::max<Index>(0, place(end) - first);
  return {first, count == 0 ? 0 : (count - 1) / step + 1};
}

void slice(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto starts = context.list("starts", 1);
  const auto ends = context.list("ends", 2);
  const bool has_axes = context.node.has_attribute("axes") || !context.node.input(3).empty();
  const auto axes = context.list("axes", 3);
  const Tensor* steps = context.constant(4);
  if (!x.has_value() || !starts || !ends || (has_axes && !axes) || starts->size() != ends->size() ||
      (axes && axes->size() != starts->size()) || (!context.node.input(4).empty() && steps == nullptr) ||
      (steps != nullptr && steps->size() != static_cast<Index>(starts->size()))) {
    return;
  }
  std::vector<Dim> dims = *x;
  auto elements = context.input(0).elements;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis = checked_axis(axes ? (*axes)[i] : static_cast<Index>(i), dims.size());
    const Index step = steps == nullptr ? 1 : steps->to_indices()[i];
    if (!axis.has_value()) {
      return;
    }
    if (step < 1 || !dims[*axis].known()) {
      const bool whole = step == 1 && (*starts)[i] == 0 && (*ends)[i] >= kMaxElements;
      dims[*axis] = whole ? dims[*axis] : Dim{};
      elements.reset();
      continue;
    }
    const auto [first, count] = slice_span((*starts)[i], (*ends)[i], step, dims[*axis].size);
    dims[*axis] = known_dim(count);
    if (elements.has_value() && dims.size() == 1) {
      std::vector<Dim> taken;
      for (Index j = 0; j < count; ++j) {
        taken.push_back((*elements)[static_cast<std::size_t>(first + j * step)]);
      }
      elements = std::move(taken);
    }
  }
  outputs[0].dims = std::move(dims);
  outputs[0].elements = std::move(elements);
}

void gather(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto& indices = context.input(1).dims;
  if (!x.has_value() || !indices.has_value()) {
    return;
  }
  const auto axis = checked_axis(context.node.int_attribute("axis", 0), x->size());
  if (!axis.has_value()) {
    return;
  }
  const auto at = x->begin() + static_cast<std::ptrdiff_t>(*axis);
  outputs[0].dims = {x->begin(), at};
  outputs[0].dims->insert(outputs[0].dims->end(), indices->begin(), indices->end());
  outputs[0].dims->insert(outputs[0].dims->end(), at + 1, x->end());
  const Tensor* constant = context.constant(1);
  if (constant == nullptr || constant->rank() > 1 || !context.input(0).elements.has_value()) {
    return;
  }
  std::vector<Dim> elements;
  for (const Index index : constant->to_indices()) {
    const auto place = checked_axis(index, context.input(0).elements->size());
    if (!place.has_value()) {
      return;
    }
    elements.push_back((*context.input(0).elements)[*place]);
  }
  outputs[0].elements = std::move(elements);
}

void shape(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = DType::kInt64;
  const auto& x = context.input(0).dims;
  if (!x.has_value()) {
    return;
  }
  const auto rank = static_cast<Index>(x->size());
  const auto place = [&](Index axis) { return std::clamp<Index>(axis < 0 ? axis + rank : axis, 0, rank); };
  const Index start = place(context.node.int_attribute("start", 0));
  const Index end = std::max(start, place(context.node.int_attribute("end", rank)));
  outputs[0].dims = {known_dim(end - start)};
  outputs[0].elements = {x->begin() + start, x->begin() + end};
}

void size(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = DType::kInt64;
  outputs[0].dims.emplace();
  if (context.input(0).dims.has_value()) {
    outputs[0].elements = {remaining_dim(*context.input(0).dims, {})};
  }
}

void constant_of_shape(const FactContext& context, Facts& outputs) {
  outputs[0].dims = context.input(0).elements;
  const auto found = context.node.attributes.find("value");
  const Tensor* value = found == context.node.attributes.end() ? nullptr : std::get_if<Tensor>(&found->second);
  outputs[0].dtype = value == nullptr ? DType::kFloat32 : value->dtype();
}

// Onto a shape that is as large in every dimension, or where the input has 1.
void expand(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto& target = context.input(1).elements;
  if (!x.has_value() || !target.has_value() || target->size() < x->size()) {
    return;
  }
  std::vector<Dim> dims = *target;
  for (std::size_t i = 1; i <= x->size(); ++i) {
    Dim& dim = dims[dims.size() - i];
    const Dim& from = (*x)[x->size() - i];
    if (dim.size == 1) {
      dim = from;
    } else if (from.size != 1 && !same_dim(dim, from)) {
      dim = {};
    }
  }
  outputs[0].dims = std::move(dims);
}

void split(const FactContext& context, Facts& outputs) {
  const auto& x = context.input(0).dims;
  const auto sizes = context.list("split", 1);
  const auto axis = x.has_value() ? checked_axis(context.node.int_attribute("axis", 0), x->size()) : std::nullopt;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].dtype = context.input(0).dtype;
    if (axis.has_value()) {
      outputs[i].dims = x;
      const bool given = sizes.has_value() && sizes->size() == outputs.size() && (*sizes)[i] >= 0;
      (*outputs[i].dims)[*axis] = given ? known_dim((*sizes)[i]) : Dim{};
    }
  }
}

void pad(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  const auto amounts = context.list("pads", 1);
  if (!x.has_value() || !context.node.input(3).empty()) {
    return;
  }
  const bool given = amounts.has_value() && amounts->size() == 2 * x->size();
  outputs[0].dims = std::vector<Dim>(x->size());
  for (std::size_t i = 0; given && i < x->size(); ++i) {
    const Index added = std::clamp((*amounts)[i], -kMaxElements, kMaxElements) +
                        std::clamp((*amounts)[i + x->size()], -kMaxElements, kMaxElements);
    const Dim& dim = (*x)[i];
    (*outputs[0].dims)[i] = added == 0                             ? dim
                            : dim.known() && dim.size + added >= 0 ? known_dim(dim.size + added)
                                                                   : Dim{};
  }
}

// By constant factors: those of 1 keep a dimension, whatever the mode.
void resize(const FactContext& context, Facts& outputs) {
  outputs[0].dtype = context.input(0).dtype;
  const auto& x = context.input(0).dims;
  if (!x.has_value()) {
    return;
  }
  outputs[0].dims = std::vector<Dim>(x->size());
  const bool crops = context.node.string_attribute("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  if (crops || context.node.has_attribute("axes")) {
    return;
  }
  const Tensor* scales = context.constant(2);
  if (scales == nullptr || scales->size() != static_cast<Index>(x->size()) || !context.node.input(3).empty()) {
    return;
  }
  const std::vector<double> factors = scales->to_doubles();
  for (std::size_t i = 0; i < x->size(); ++i) {
    const float size = std::floor(static_cast<float>(factors[i]) * static_cast<float>((*x)[i].size));
    const bool fits = (*x)[i].known() && size >= 0 && size < static_cast<float>(kMaxElements);
    (*outputs[0].dims)[i] = factors[i] == 1 ? (*x)[i] : fits ? known_dim(static_cast<Index>(size)) : Dim{};
  }
}

constexpr std::array kRules = {
    FactRule{"Concat", concat},       FactRule{"ConstantOfShape", constant_of_shape},
    FactRule{"Expand", expand},       FactRule{"Flatten", flatten},
    FactRule{"Gather", gather},       FactRule{"Pad", pad},
    FactRule{"Reshape", reshape},     FactRule{"Resize", resize},
    FactRule{"Shape", shape},         FactRule{"Size", size},
    FactRule{"Slice", slice},         FactRule{"Split", split},
    FactRule{"Squeeze", squeeze},     FactRule{"Transpose", transpose},
    FactRule{"Unsqueeze", unsqueeze},
};

}  // namespace

std::span<const FactRule> shape_fact_rules() { return kRules; }

}  // namespace assay::passes
