// SPDX-License-Identifier: Apache-2.0
// TensorProto <-> Tensor. Only the files of engine/onnx include this one, since it shows protobuf's classes.
//
// Data may stand in raw_data, in the typed field that ONNX names for the type, or in an external file whose location is
// relative to the model's folder and may not leave it. Errors: kUnsupported (strings, complex, 8-bit floats, 4- and
// 2-bit types, segments), kInvalidModel (negative dimensions, data of another size than the shape, values outside the
// type), kResource, kIo.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/ir/tensor.h"
#include "engine/onnx/external_tensors.h"

namespace assay::onnx {

// The type of a TensorProto.DataType value; kUndefined for those this build does not have.
DType dtype_from_proto(int data_type);
int dtype_to_proto(DType dtype);
// "float8e4m3fn", or "type 99" for a number ONNX does not have.
std::string proto_type_name(int data_type);

// `what` begins the message ("initializer 'w'"). Without `folder` external data are refused. Takes the raw data out of
// `proto` so that they are not held twice.
Result<Tensor> tensor_from_proto(::onnx::TensorProto& proto, const std::optional<std::string>& folder,
                                 const std::string& what);

// With `external`, data of kLeastExternalBytes and more go there instead of into the proto.
void tensor_to_proto(const Tensor& tensor, ::onnx::TensorProto& proto, ExternalTensors* external = nullptr);

}  // namespace assay::onnx
