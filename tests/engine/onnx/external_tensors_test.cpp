// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_tensors.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string entry(const ::onnx::TensorProto& proto, const std::string& key) {
  for (const auto& pair : proto.external_data()) {
    if (pair.key() == key) {
      return pair.value();
    }
  }
  return "";
}

TEST(ExternalTensors, StandOneBehindTheOtherAtAlignedOffsets) {
  onnx::ExternalTensors tensors("m.data");
  ::onnx::TensorProto first;
  ::onnx::TensorProto second;
  tensors.add(Tensor::from<std::int8_t>({3}, {1, 2, 3}), first);
  tensors.add(std::string("xy"), second);
  EXPECT_EQ(first.data_location(), ::onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(entry(first, "location"), "m.data");
  EXPECT_EQ(entry(first, "offset"), "0");
  EXPECT_EQ(entry(first, "length"), "3");
  EXPECT_EQ(entry(second, "offset"), "4096");
  EXPECT_EQ(entry(second, "length"), "2");
  std::string content;
  for (const std::string_view piece : tensors.pieces()) {
    content += piece;
  }
  ASSERT_EQ(content.size(), 4098U);
  EXPECT_EQ(content.substr(0, 4), std::string("\1\2\3\0", 4));
  EXPECT_EQ(content.substr(4096), "xy");
}

}  // namespace
}  // namespace assay
