// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/schema.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay::onnx {
namespace {

TEST(Schema, FormsOfAnOperatorDoNotOverlap) {
  const auto rows = operator_schemas();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_LE(rows[i]->first_opset, rows[i]->last_opset) << rows[i]->op_type;
    EXPECT_LE(rows[i]->last_opset, newest_opset(rows[i]->domain)) << rows[i]->op_type;
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const bool same = rows[i]->domain == rows[j]->domain && rows[i]->op_type == rows[j]->op_type;
      EXPECT_TRUE(!same || rows[i]->last_opset < rows[j]->first_opset || rows[j]->last_opset < rows[i]->first_opset)
          << rows[i]->op_type;
    }
  }
}

TEST(Schema, AttributeNamesAreInOrderAndUnique) {
  for (const OperatorSchema* row : operator_schemas()) {
    const auto unordered = std::adjacent_find(
        row->attributes.begin(), row->attributes.end(),
        [](const AttributeSchema& a, const AttributeSchema& b) { return a.name >= b.name && a.until >= b.since; });
    // A row made of two lists is in order within each.
    if (unordered != row->attributes.end()) {
      EXPECT_EQ(row->domain, kAssayDomain) << row->op_type << " " << unordered->name;
    }
  }
}

TEST(Schema, FindsTheFormOfAnOpset) {
  EXPECT_EQ(find_schema("", "Clip", 10)->max_inputs, 1U);
  EXPECT_EQ(find_schema("", "Clip", 11)->max_inputs, 3U);
  EXPECT_EQ(find_schema("", "HardSwish", 13), nullptr);
  EXPECT_NE(find_schema("", "HardSwish", kNewestOpset), nullptr);
  EXPECT_EQ(find_schema("com.microsoft", "Relu", 1), nullptr);
  EXPECT_TRUE(knows_operator("", "HardSwish"));
  EXPECT_FALSE(knows_operator("", "Det"));
}

TEST(Schema, NamesAttributeKinds) {
  EXPECT_EQ(attribute_kind_name(attribute_kind(Index{1})), "int");
  EXPECT_EQ(attribute_kind_name(attribute_kind(1.0F)), "float");
  EXPECT_EQ(attribute_kind_name(attribute_kind(std::string())), "string");
  EXPECT_EQ(attribute_kind_name(attribute_kind(std::vector<Index>())), "ints");
  EXPECT_EQ(attribute_kind_name(attribute_kind(std::vector<float>())), "floats");
  EXPECT_EQ(attribute_kind_name(attribute_kind(std::vector<std::string>())), "strings");
  EXPECT_EQ(attribute_kind_name(attribute_kind(Tensor())), "tensor");
  EXPECT_EQ(attribute_kind_name(attribute_kind(GraphPtr())), "graph");
}

}  // namespace
}  // namespace assay::onnx
