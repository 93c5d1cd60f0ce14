// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/attribute_proto.h"

#include <algorithm>

#include "engine/onnx/graph_proto.h"
#include "engine/onnx/tensor_proto.h"
#include "engine/onnx/text.h"

namespace assay::onnx {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // not every compiler deduces aggregates

std::string unsupported_kind(int type) {
  switch (type) {
    case ::onnx::AttributeProto::GRAPHS:
      return "a list of subgraphs";
    case ::onnx::AttributeProto::SPARSE_TENSOR:
    case ::onnx::AttributeProto::SPARSE_TENSORS:
      return "a sparse tensor";
    case ::onnx::AttributeProto::TYPE_PROTO:
    case ::onnx::AttributeProto::TYPE_PROTOS:
      return "a type";
    case ::onnx::AttributeProto::TENSORS:
      return "a list of tensors";
    default:
      return "";
  }
}

}  // namespace

Result<Attribute> attribute_from_proto(::onnx::AttributeProto& proto, const std::optional<std::string>& folder,
                                       const std::string& what) {
  const std::string text = what + ": attribute '" + printable(proto.name()) + "'";
  if (!proto.ref_attr_name().empty()) {
    return invalid_model(text + " refers to an attribute of a function, outside a function");
  }
  switch (proto.type()) {
    case ::onnx::AttributeProto::INT:
      return Attribute(Index{proto.i()});
    case ::onnx::AttributeProto::FLOAT:
      return Attribute(proto.f());
    case ::onnx::AttributeProto::STRING:
      if (!is_utf8(proto.s())) {
        return invalid_model(text + " is not UTF-8");
      }
      return Attribute(proto.s());
    case ::onnx::AttributeProto::INTS:
      return Attribute(std::vector<Index>(proto.ints().begin(), proto.ints().end()));
    case ::onnx::AttributeProto::FLOATS:
      return Attribute(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case ::onnx::AttributeProto::STRINGS:
      if (!std::all_of(proto.strings().begin(), proto.strings().end(), is_utf8)) {
        return invalid_model(text + " is not UTF-8");
      }
      return Attribute(std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case ::onnx::AttributeProto::TENSOR: {
      ASSAY_ASSIGN(Tensor tensor, tensor_from_proto(*proto.mutable_t(), folder, text));
      return Attribute(std::move(tensor));
    }
    case ::onnx::AttributeProto::GRAPH: {
      auto subgraph = std::make_shared<Graph>();
      const Status status = graph_from_proto(*proto.mutable_g(), folder, *subgraph);
      if (!status.ok()) {
        return Error{status.error().kind, text + ": " + status.error().message};
      }
      return Attribute(GraphPtr(std::move(subgraph)));
    }
    default:
      break;
  }
  const std::string kind = unsupported_kind(proto.type());
  if (kind.empty()) {
    return invalid_model(text + " has no type");
  }
  return unsupported(text + " is " + kind + ", which is not supported");
}

void attribute_to_proto(const std::string& name, const Attribute& attribute, ::onnx::AttributeProto& proto) {
  proto.set_name(name);
  std::visit(Overloaded{[&](Index value) {
                          proto.set_type(::onnx::AttributeProto::INT);
                          proto.set_i(value);
                        },
                        [&](float value) {
                          proto.set_type(::onnx::AttributeProto::FLOAT);
                          proto.set_f(value);
                        },
                        [&](const std::string& value) {
                          proto.set_type(::onnx::AttributeProto::STRING);
                          proto.set_s(value);
                        },
                        [&](const std::vector<Index>& values) {
                          proto.set_type(::onnx::AttributeProto::INTS);
                          proto.mutable_ints()->Add(values.begin(), values.end());
                        },
                        [&](const std::vector<float>& values) {
                          proto.set_type(::onnx::AttributeProto::FLOATS);
                          proto.mutable_floats()->Add(values.begin(), values.end());
                        },
                        [&](const std::vector<std::string>& values) {
                          proto.set_type(::onnx::AttributeProto::STRINGS);
                          proto.mutable_strings()->Add(values.begin(), values.end());
                        },
                        [&](const GraphPtr& subgraph) {
                          proto.set_type(::onnx::AttributeProto::GRAPH);
                          graph_to_proto(*subgraph, *proto.mutable_g());
                        },
                        [&](const Tensor& tensor) {
                          proto.set_type(::onnx::AttributeProto::TENSOR);
                          tensor_to_proto(tensor, *proto.mutable_t());
                        }},
             attribute);
}

}  // namespace assay::onnx
