// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/schema.h"

#include <algorithm>
#include <array>

#include "engine/onnx/ops/families.h"

namespace assay::onnx {
namespace {

struct DomainRow {
  std::string_view domain;
  Index newest;
};

constexpr std::array<DomainRow, 3> kDomains = {{
    {"", kNewestOpset},
    {kMicrosoftDomain, 1},
    {kAssayDomain, 1},
}};

constexpr std::array<std::string_view, 8> kKindNames = {"int",    "float",   "string", "ints",
                                                        "floats", "strings", "tensor", "graph"};

std::vector<const OperatorSchema*> join_families() {
  std::vector<const OperatorSchema*> rows;
  for (const auto& family :
       {conv_schemas(), matmul_schemas(), activation_schemas(), elementwise_schemas(), pool_schemas(),
        normalization_schemas(), movement_schemas(), quantize_schemas(), integer_schemas(), microsoft_schemas(),
        fused_schemas(), unary_schemas(), binary_schemas(), reduce_schemas(), indexing_schemas(), shape_schemas(),
        control_schemas(), layer_schemas(), contributed_schemas()}) {
    for (const OperatorSchema& row : family) {
      rows.push_back(&row);
    }
  }
  return rows;
}

const std::vector<const OperatorSchema*>& rows() {
  static const std::vector<const OperatorSchema*> kRows = join_families();
  return kRows;
}

}  // namespace

std::string_view attribute_kind_name(AttributeKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

AttributeKind attribute_kind(const Attribute& attribute) { return static_cast<AttributeKind>(attribute.index()); }

std::vector<const OperatorSchema*> operator_schemas() { return rows(); }

const OperatorSchema* find_schema(std::string_view domain, std::string_view op_type, Index opset) {
  const auto found = std::find_if(rows().begin(), rows().end(), [&](const OperatorSchema* row) {
    return row->op_type == op_type && row->domain == domain && row->first_opset <= opset && opset <= row->last_opset;
  });
  return found == rows().end() ? nullptr : *found;
}

bool knows_operator(std::string_view domain, std::string_view op_type) {
  return std::any_of(rows().begin(), rows().end(),
                     [&](const OperatorSchema* row) { return row->op_type == op_type && row->domain == domain; });
}

Index newest_opset(std::string_view domain) {
  for (const DomainRow& row : kDomains) {
    if (row.domain == domain) {
      return row.newest;
    }
  }
  return 0;
}

}  // namespace assay::onnx
