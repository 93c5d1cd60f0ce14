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

// A file that a source names: "" for the form that it is not.
struct NamedFile {
  std::string npy;
  std::string npz;
  std::string key;
  std::string pb;
};

NamedFile file_of(const DataSource& source) {
  const auto path_of = [&](const char* form) {
    const Element named = source.element.member(form);
    return named.exists() ? resolve_path(named, named.json().get<std::string>()) : std::string();
  };
  const Element key = source.element.member("key");
  return {.npy = path_of("npy"),
          .npz = path_of("npz"),
          .key = key.exists() ? key.json().get<std::string>() : std::string(),
          .pb = path_of("pb")};
}

Result<Tensor> load_named(const NamedFile& file) {
  if (!file.npy.empty()) {
    return load_npy(file.npy);
  }
  return file.npz.empty() ? api::load_tensor_proto(file.pb) : load_npz(file.npz, file.key);
}

Error located(const DataSource& source, const Target& target, const Error& error) {
  return Error{error.kind, fmt::format("{}: {}: {}", source.element.where(), target.what, error.message)};
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
  Result<Tensor> tensor = load_named(file_of(source));
  return tensor.ok() ? converted(source, std::move(tensor).value()) : located(source, target, tensor.error());
}

Result<std::optional<ArrayStream>> open_file_source(const DataSource& source, const Target& target) {
  const NamedFile file = file_of(source);
  if (file.npy.empty() && file.npz.empty()) {
    return std::optional<ArrayStream>();
  }
  Result<ArrayStream> stream =
      file.npy.empty() ? ArrayStream::open_npz(file.npz, file.key) : ArrayStream::open_npy(file.npy);
  if (!stream.ok()) {
    return located(source, target, stream.error());
  }
  return stream.value().shape().empty() ? std::optional<ArrayStream>() : std::optional(std::move(stream).value());
}

Result<Tensor> converted(const DataSource& source, Tensor tensor) {
  const Element scale = source.element.member("scale");
  const Element offset = source.element.member("offset");
  if (!scale.exists() && !offset.exists()) {
    return tensor;
  }
  return scaled(tensor, scale.exists() ? scale.json().get<double>() : 1.0,
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
