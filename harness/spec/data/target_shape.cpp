// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/target_shape.h"

#include <fmt/format.h>

namespace assay::spec {
namespace {

bool is_open(const Target& target, std::size_t axis) {
  return !target.dims[axis].known() || (axis == 0 && target.first_axis_free);
}

Error wrong_shape(const DataSource& source, const Target& target, const std::string& reason) {
  return source.element.error(fmt::format("{}: {}", target.what, reason));
}

Result<Shape> checked(const DataSource& source, const Target& target, Shape shape) {
  if (std::string reason = misfit(shape, target); !reason.empty()) {
    return wrong_shape(source, target, reason);
  }
  if (const auto count = element_count(shape); !count.ok()) {
    return wrong_shape(source, target, count.error().message);
  }
  return shape;
}

}  // namespace

std::string dims_text(const std::vector<Dim>& dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    text += i == 0 ? "" : ",";
    text += dims[i].known() ? std::to_string(dims[i].size) : dims[i].name.empty() ? "?" : dims[i].name;
  }
  return text + "]";
}

std::optional<Shape> stated_shape(const DataSource& source) {
  const Element element = source.element.member("shape");
  if (!element.exists()) {
    return std::nullopt;
  }
  Shape shape;
  for (const Json& dim : element.json()) {
    // The schema lets whole numbers of any size through; a size beyond Index becomes one that element_count refuses.
    const double size = dim.get<double>();
    shape.push_back(size > 1e15 ? Index{1} << 50U : static_cast<Index>(size));
  }
  return shape;
}

std::string misfit(const Shape& shape, const Target& target) {
  if (!target.has_shape) {
    return {};
  }
  bool fits = shape.size() == target.dims.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    fits = is_open(target, i) || shape[i] == target.dims[i].size;
  }
  return fits ? std::string()
              : fmt::format("shape {} does not fit the graph's {}", shape_text(shape), dims_text(target.dims));
}

Result<Shape> generated_shape(const DataSource& source, const Target& target) {
  if (auto shape = stated_shape(source)) {
    return checked(source, target, std::move(*shape));
  }
  if (!target.has_shape) {
    return wrong_shape(source, target, "the graph states no shape: give \"shape\"");
  }
  Shape shape;
  for (std::size_t i = 0; i < target.dims.size(); ++i) {
    if (!target.dims[i].known()) {
      return wrong_shape(
          source, target,
          fmt::format("the graph leaves dimension {} of {} open: give \"shape\"", i, dims_text(target.dims)));
    }
    shape.push_back(target.dims[i].size);
  }
  return checked(source, target, std::move(shape));
}

Result<Shape> counted_shape(const DataSource& source, const Target& target, Index count) {
  if (auto shape = stated_shape(source)) {
    ASSAY_ASSIGN(Shape fitting, checked(source, target, std::move(*shape)));
    if (element_count(fitting).value() != count) {
      return wrong_shape(source, target, fmt::format("{} values do not fill the shape {}", count, shape_text(fitting)));
    }
    return fitting;
  }
  if (!target.has_shape) {
    return Shape{count};
  }
  Shape shape;
  Index known = 1;
  std::size_t open = target.dims.size();
  std::size_t open_count = 0;
  for (std::size_t i = 0; i < target.dims.size(); ++i) {
    shape.push_back(target.dims[i].size);
    if (is_open(target, i)) {
      open = i;
      ++open_count;
    } else {
      known *= target.dims[i].size;
    }
  }
  if (open_count > 1) {
    return wrong_shape(
        source, target,
        fmt::format("{} values and the graph's {} leave the shape open: nest the values or give \"shape\"", count,
                    dims_text(target.dims)));
  }
  if (open_count == 1 && known > 0 && count % known == 0) {
    shape[open] = count / known;
    return shape;
  }
  if (open_count == 1 || known != count) {
    return wrong_shape(source, target,
                       fmt::format("{} values do not fill the graph's shape {}", count, dims_text(target.dims)));
  }
  return shape;
}

Result<Shape> natural_shape(const DataSource& source, const Target& target, const Shape& natural, bool may_reshape) {
  const auto stated = stated_shape(source);
  if (!stated || *stated == natural) {
    return checked(source, target, natural);
  }
  ASSAY_ASSIGN(const Shape shape, checked(source, target, *stated));
  ASSAY_ASSIGN(const Index natural_count, element_count(natural));
  if (!may_reshape || element_count(shape).value() != natural_count) {
    return wrong_shape(source, target,
                       fmt::format("\"shape\" is {}, the data have {}", shape_text(shape), shape_text(natural)));
  }
  return shape;
}

}  // namespace assay::spec
