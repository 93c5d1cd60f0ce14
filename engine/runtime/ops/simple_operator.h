// SPDX-License-Identifier: Apache-2.0
// What the operators without state between runs share: one function of the inputs, and checks of operands.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/block_vector.h"
#include "engine/runtime/operator.h"

namespace assay::runtime {

using OperatorResult = Result<std::unique_ptr<Operator>>;

// One output as a function of the inputs.
using Function = std::function<Result<Tensor>(const RunContext&)>;

// `arithmetic` as in KernelInfo: "move", or "float32" for operators that compute, which becomes "exact" after a run on
// integers. The kernel's name is "scalar" (plain loops), or "view" where the output shares the input's data.
OperatorResult make_operator(Function function, const std::string& arithmetic, const std::string& kernel = "scalar");
// The same for a function that computes each element of a float32 output from one element of each operand (broadcast),
// so that it may be called with channel blocks and what broadcasts against them (channel_blocks.h).
// `owns_output`: it never returns an operand itself.
OperatorResult make_elementwise_operator(Function function, bool owns_output = true);
// What an operator of these reports that keeps state between runs.
KernelInfo plain_kernel(const std::string& arithmetic, const std::string& kernel = "scalar");
OperatorResult make_operator(Function function, KernelInfo info);

// What an operator reports that runs a row of a kernel table chosen for `profile`.
template <typename Choice>
KernelInfo kernel_info(const Choice& choice, const Profile& profile, const char* arithmetic) {
  KernelInfo info;
  info.kernel = choice.kernel->name;
  info.isa = isa_name(profile.isa);
  info.arithmetic = arithmetic;
  info.native = choice.native;
  return info;
}

// The node must have between `least` and `most` inputs, the first `least` of them not omitted, and one output.
// Errors: kInvalidModel for inputs, kUnsupported for further outputs.
Status check_arity(const PrepareContext& context, std::size_t least, std::size_t most);

// The operand must have one of the types. The message names the operand and the type found.
Status check_type(const Tensor& tensor, const char* operand, std::initializer_list<DType> types);
Status check_rank(const Tensor& tensor, const char* operand, std::size_t rank);

// A rank-1 or scalar int64 operand as a list.
Result<IndexList> index_list(const Tensor& tensor, const char* operand);

// Axes made non-negative for `rank`; an error for one out of range or given twice.
Result<IndexList> normalize_axes(const IndexList& axes, std::size_t rank);

// Products of the dimensions before, of, and after an axis: element (o, i, n) is at (o * length + i) * inner + n.
struct AxisSplit {
  Index outer = 1;
  Index length = 1;
  Index inner = 1;
};
AxisSplit split_at(const Shape& shape, std::size_t axis);

// The product of shape[begin, end).
Index dims_product(const Shape& shape, std::size_t begin, std::size_t end);

}  // namespace assay::runtime
