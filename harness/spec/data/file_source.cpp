// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data/file_source.h"

#include <fmt/format.h>

#include "engine/api/model.h"
#include "engine/base/input_file.h"
#include "engine/base/output_file.h"
#include "harness/spec/data/archive.h"
#include "harness/spec/data/npy.h"

namespace assay::spec {
namespace {

Result<Tensor> load_named(const DataSource& source) {
  const Element& element = source.element;
  const auto path_of = [&](const Element& named) { return resolve_path(named, named.json().get<std::string>()); };
  if (const Element npy = element.member("npy"); npy.exists()) {
    return load_npy(path_of(npy));
  }
  if (const Element npz = element.member("npz"); npz.exists()) {
    const Element key = element.member("key");
    return load_npz(path_of(npz), key.exists() ? key.json().get<std::string>() : std::string());
  }
  return api::load_tensor_proto(path_of(element.member("pb")));
}

Result<Tensor> scaled(const Tensor& tensor, double scale, double offset) {
  ASSAY_ASSIGN(Tensor result, Tensor::allocate(DType::kFloat32, tensor.shape()));
  const std::vector<double> values = tensor.to_doubles();
  const auto target = result.mutable_data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    target[i] = static_cast<float>(values[i] * scale + offset);
  }
  return result;
}

bool is_integer(DType dtype) {
  return dtype_integer_range(dtype).max != 0 || dtype == DType::kInt64 || dtype == DType::kUint64;
}

}  // namespace

Result<Tensor> load_file_source(const DataSource& source, const Target& target) {
  Result<Tensor> tensor = load_named(source);
  if (!tensor.ok()) {
    const Error& error = tensor.error();
    return Error{error.kind, fmt::format("{}: {}: {}", source.element.where(), target.what, error.message)};
  }
  const Element scale = source.element.member("scale");
  const Element offset = source.element.member("offset");
  if (!scale.exists() && !offset.exists()) {
    return tensor;
  }
  return scaled(tensor.value(), scale.exists() ? scale.json().get<double>() : 1.0,
                offset.exists() ? offset.json().get<double>() : 0.0);
}

Result<Tensor> of_target_type(const DataSource& source, const Target& target, Tensor tensor) {
  if (target.dtype == DType::kUndefined || tensor.dtype() == target.dtype) {
    return tensor;
  }
  if (target.dtype == DType::kInt64 && is_integer(tensor.dtype())) {
    return Tensor::from<Index>(tensor.shape(), tensor.to_indices());
  }
  const bool to_float = target.dtype == DType::kFloat32;
  return source.element.error(fmt::format("{}: the data are {}, the graph takes {}{}", target.what,
                                          dtype_name(tensor.dtype()), dtype_name(target.dtype),
                                          to_float ? " (\"scale\": 1 converts)" : ""));
}

Result<Tensor> load_npy(const std::string& path) {
  ASSAY_ASSIGN(const std::string bytes, read_file(path));
  Result<Tensor> tensor = parse_npy(std::as_bytes(std::span(bytes)));
  if (!tensor.ok()) {
    return Error{tensor.error().kind, path + ": " + tensor.error().message};
  }
  return tensor;
}

Status save_npy(const std::string& path, const Tensor& tensor) {
  ASSAY_ASSIGN(const std::string bytes, format_npy(tensor));
  return replace_file(path, bytes);
}

}  // namespace assay::spec
