// SPDX-License-Identifier: Apache-2.0
// The built program with a model of two nodes, m.onnx (Conv with weight 127, Relu), an input x.npy and two calibration
// samples in the folder data.
#pragma once

#include <string>
#include <vector>

#include "engine/api/model.h"
#include "harness/spec/data_source.h"
#include "tests/cli/program.h"

namespace assay::test {

class SmallModel : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    Graph graph;
    graph.opsets[""] = 13;
    const std::vector<Dim> dims = {{1, ""}, {1, ""}, {2, ""}, {2, ""}};
    graph.inputs = {{.name = "x", .dtype = DType::kFloat32, .has_shape = true, .dims = dims}};
    graph.outputs = {{.name = "y/out:0", .dtype = DType::kFloat32, .has_shape = true, .dims = dims}};
    graph.initializers["w"] = Tensor::from<float>({1, 1, 1, 1}, {127});
    graph.nodes = {{.name = "conv",
                    .op_type = "Conv",
                    .domain = "",
                    .inputs = {"x", "w"},
                    .outputs = {"c"},
                    .attributes = {},
                    .origin = ""},
                   {.name = "relu",
                    .op_type = "Relu",
                    .domain = "",
                    .inputs = {"c"},
                    .outputs = {"y/out:0"},
                    .attributes = {},
                    .origin = ""}};
    const Result<api::Model> model = api::Model::from_graph(graph);
    ASSERT_TRUE(model.ok()) << model.error().message;
    ASSERT_TRUE(model.value().save(path("m.onnx")).ok());
    ASSERT_TRUE(spec::save_npy(path("x.npy"), Tensor::from<float>({1, 1, 2, 2}, {-127, 127, 64, -3})).ok());
    // A folder of test data sets is the calibration data.
    for (const char* set : {"data/test_data_set_0", "data/test_data_set_1"}) {
      write(std::string(set) + "/.keep", "");
    }
    ASSERT_TRUE(spec::save_npy(path("data/test_data_set_0/input_0.npy"),
                               Tensor::from<float>({1, 1, 2, 2}, {-127, -127, -127, -127}))
                    .ok());
    ASSERT_TRUE(spec::save_npy(path("data/test_data_set_1/input_0.npy"),
                               Tensor::from<float>({1, 1, 2, 2}, {127, 127, 127, 127}))
                    .ok());
  }

  std::vector<float> output(const std::string& folder) const {
    const Result<Tensor> tensor = spec::load_npy(path(folder + "/y_out_0.npy"));
    EXPECT_TRUE(tensor.ok()) << tensor.error().message;
    const auto values = tensor.value().data<float>();
    return {values.begin(), values.end()};
  }
};

}  // namespace assay::test
