// SPDX-License-Identifier: Apache-2.0
// AttributeProto <-> Attribute. For the files of engine/onnx only, as tensor_proto.h.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/ir/graph.h"

namespace assay::onnx {

// `what` names the node. Errors: kUnsupported (graphs, sparse tensors, types), kInvalidModel (no type, a reference
// outside a function, text that is not UTF-8).
Result<Attribute> attribute_from_proto(::onnx::AttributeProto& proto, const std::optional<std::string>& folder,
                                       const std::string& what);

void attribute_to_proto(const std::string& name, const Attribute& attribute, ::onnx::AttributeProto& proto);

}  // namespace assay::onnx
