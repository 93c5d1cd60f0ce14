// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/data_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/spec/data/archive.h"
#include "tests/support/folders.h"

namespace assay::spec {
namespace {

Target target(DType dtype, const std::vector<Index>& dims) {
  Target result;
  result.what = "input 'x'";
  result.dtype = dtype;
  result.has_shape = true;
  for (const Index dim : dims) {
    result.dims.push_back(dim < 0 ? Dim{-1, "N"} : Dim{dim, ""});
  }
  result.seed_name = "case/x";
  return result;
}

const std::string kData = test::source_folder().string() + "/tests/harness/spec/data/";

Result<SourceTensor> made(const std::string& json, const Target& wanted) {
  return make_tensor({Element(Document::parse(kData + "f.json", json).value())}, wanted);
}

std::vector<double> values(const std::string& json, const Target& wanted) {
  const auto result = made(json, wanted);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? result.value().tensor.to_doubles() : std::vector<double>{};
}

Shape shape(const std::string& json, const Target& wanted) {
  const auto result = made(json, wanted);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? result.value().tensor.shape() : Shape{-1};
}

// Without the folder in front.
std::string error(const std::string& json, const Target& wanted) {
  const auto result = made(json, wanted);
  std::string message = result.ok() ? "no error" : result.error().message;
  for (std::size_t at = message.find(kData); at != std::string::npos; at = message.find(kData)) {
    message.erase(at, kData.size());
  }
  return message;
}

using Values = std::vector<double>;
constexpr DType kFloat = DType::kFloat32;

TEST(DataSource, Constant) {
  EXPECT_EQ(values(R"({"constant": -127})", target(kFloat, {1, 2})), (Values{-127, -127}));
  EXPECT_EQ(values(R"({"constant": true})", target(DType::kBool, {2})), (Values{1, 1}));
  EXPECT_EQ(error(R"({"constant": 256})", target(DType::kUint8, {2})),
            "f.json:1:14: input 'x': 256 does not fit uint8 (whole numbers in [0,255])");
  EXPECT_EQ(error(R"({"constant": 0.5})", target(DType::kInt8, {2})),
            "f.json:1:14: input 'x': 0.5 does not fit int8 (whole numbers in [-128,127])");
  EXPECT_EQ(error(R"({"constant": 1e39})", target(kFloat, {2})),
            "f.json:1:14: input 'x': 1e+39 is beyond the range of float32");
  EXPECT_EQ(values(R"({"constant": 18446744073709551615})", target(DType::kUint64, {1})), Values{0x1p64});
}

TEST(DataSource, Ramp) {
  EXPECT_EQ(values(R"({"ramp": {"start": 1, "step": 0.5}})", target(kFloat, {2, 2})), (Values{1, 1.5, 2, 2.5}));
  EXPECT_EQ(values(R"({"ramp": {}})", target(DType::kInt8, {3})), (Values{0, 1, 2}));
  EXPECT_EQ(error(R"({"ramp": {"start": 126}})", target(DType::kInt8, {3})),
            "f.json:1:10: input 'x': element 2 of the ramp: 128 does not fit int8 (whole numbers in [-128,127])");
}

TEST(DataSource, ValuesFlatAndNested) {
  EXPECT_EQ(values(R"({"values": [1, 2, 3, 4]})", target(kFloat, {2, 2})), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values(R"({"values": [[1, 2], [3, 4]]})", target(kFloat, {2, 2})), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values(R"({"values": 5})", target(kFloat, {})), Values{5});
  EXPECT_EQ(shape(R"({"values": [1, 2, 3, 4]})", target(kFloat, {-1, 2})), (Shape{2, 2}));
  EXPECT_EQ(shape(R"({"values": [[[1]], [[2]]]})", target(kFloat, {-1, 1, -1})), (Shape{2, 1, 1}));
  EXPECT_EQ(shape(R"({"values": [], "shape": [0, 2]})", target(kFloat, {-1, 2})), (Shape{0, 2}));
}

TEST(DataSource, ValuesThatDoNotFit) {
  EXPECT_EQ(error(R"({"values": [1, 2, 3]})", target(kFloat, {2, 2})),
            "f.json:1:1: input 'x': 3 values do not fill the graph's shape [2,2]");
  EXPECT_EQ(error(R"({"values": [1, 2, 3]})", target(kFloat, {-1, 2})),
            "f.json:1:1: input 'x': 3 values do not fill the graph's shape [N,2]");
  EXPECT_EQ(error(R"({"values": [1, 2]})", target(kFloat, {-1, -1})),
            "f.json:1:1: input 'x': 2 values and the graph's [N,N] leave the shape open: nest the values or give "
            "\"shape\"");
  EXPECT_EQ(error(R"({"values": [[1, 2, 3]]})", target(kFloat, {2, 2})),
            "f.json:1:1: input 'x': shape [1,3] does not fit the graph's [2,2]");
  EXPECT_EQ(error(R"({"values": [[1, 2], [3]]})", target(kFloat, {2, 2})),
            "f.json:1:21: input 'x': rows differ in length: expected 2 items as in the first row, found 1");
  EXPECT_EQ(error(R"({"values": [[1], 2]})", target(kFloat, {2, 1})),
            "f.json:1:18: input 'x': expected a list, found 2: rows differ in depth");
  EXPECT_EQ(error(R"({"values": [1, [2]]})", target(kFloat, {2})),
            "f.json:1:16: input 'x': expected a number, found a list: rows differ in depth");
  EXPECT_EQ(error(R"({"values": [1, "nan"]})", target(kFloat, {2})),
            "f.json:1:16: input 'x': expected a number, found \"nan\"");
  EXPECT_EQ(error(R"({"values": [[1, 2], [3, -1]]})", target(DType::kUint8, {2, 2})),
            "f.json:1:25: input 'x': -1 does not fit uint8 (whole numbers in [0,255])");
  EXPECT_EQ(error(R"({"values": [[1, 2]], "shape": [2, 1]})", target(kFloat, {-1, -1})),
            "f.json:1:1: input 'x': \"shape\" is [2,1], the data have [1,2]");
}

TEST(DataSource, ShapeFillsOpenDimensions) {
  EXPECT_EQ(shape(R"({"constant": 1, "shape": [4, 2]})", target(kFloat, {-1, 2})), (Shape{4, 2}));
  EXPECT_EQ(error(R"({"constant": 1})", target(kFloat, {-1, 2})),
            "f.json:1:1: input 'x': the graph leaves dimension 0 of [N,2] open: give \"shape\"");
  EXPECT_EQ(error(R"({"constant": 1, "shape": [4, 3]})", target(kFloat, {-1, 2})),
            "f.json:1:1: input 'x': shape [4,3] does not fit the graph's [N,2]");
  EXPECT_EQ(error(R"({"constant": 1, "shape": [4]})", target(kFloat, {-1, 2})),
            "f.json:1:1: input 'x': shape [4] does not fit the graph's [N,2]");
  EXPECT_NE(error(R"({"constant": 1, "shape": [1e18, 1e18]})", target(kFloat, {-1, -1})), "no error");
  Target free = target(kFloat, {1, 2});
  free.first_axis_free = true;
  EXPECT_EQ(shape(R"({"values": [1, 2, 3, 4]})", free), (Shape{2, 2}));
  EXPECT_EQ(shape(R"({"constant": 1, "shape": [5, 2]})", free), (Shape{5, 2}));
  EXPECT_EQ(shape(R"({"constant": 1})", free), (Shape{1, 2}));
}

TEST(DataSource, RandomIsReproducible) {
  const Target four = target(kFloat, {4});
  const auto once = made(R"({"random": {"seed": 7}})", four);
  EXPECT_EQ(once.value().seed, 7U);
  EXPECT_EQ(once.value().tensor.to_doubles()[0], static_cast<double>(static_cast<float>(2 * 0.7005764821796896 - 1)));
  EXPECT_EQ(values(R"({"random": {"seed": 7}})", four), values(R"({"random": {"seed": 7.0}})", four));
  EXPECT_NE(values(R"({"random": {"seed": 7}})", four), values(R"({"random": {"seed": 8}})", four));
  const auto named = made(R"({"random": {}})", four);
  EXPECT_EQ(named.value().seed, 7999269499003910U);
}

TEST(DataSource, RandomDistributions) {
  const Target many = target(kFloat, {1000});
  Values uniform = values(R"({"random": {"distribution": "uniform", "low": 2, "high": 3}})", many);
  EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), 2.0);
  EXPECT_LT(*std::max_element(uniform.begin(), uniform.end()), 3.0);
  Values normal = values(R"({"random": {"distribution": "normal", "mean": 10, "std": 0.1}})", many);
  EXPECT_NEAR(*std::max_element(normal.begin(), normal.end()), 10.3, 0.2);
  Values bytes = values(R"({"random": {}})", target(DType::kInt8, {5000}));
  EXPECT_EQ(*std::min_element(bytes.begin(), bytes.end()), -128);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 127);
  Values whole = values(R"({"random": {"distribution": "integers", "low": 0, "high": 2}})", target(kFloat, {100}));
  EXPECT_EQ(*std::max_element(whole.begin(), whole.end()), 2.0);
  EXPECT_EQ(error(R"({"random": {"distribution": "normal"}})", target(DType::kInt8, {1})),
            "f.json:1:12: input 'x': distribution 'normal' makes fractions, which int8 cannot hold: use 'integers'");
  EXPECT_EQ(error(R"({"random": {"low": 2}})", target(kFloat, {1})),
            "f.json:1:12: input 'x': 'low' 2 is above 'high' 1");
  EXPECT_EQ(error(R"({"random": {"distribution": "integers", "low": 1e300, "high": 1e301}})", target(kFloat, {1})),
            "f.json:1:12: input 'x': 'low' and 'high' of integers must lie within 2^62");
  EXPECT_EQ(error(R"({"random": {"low": 0.5, "high": 2}})", target(DType::kInt8, {1})),
            "f.json:1:20: input 'x': 'low' of integers must be a whole number, found 0.5");
  EXPECT_EQ(error(R"({"random": {"distribution": "integers", "low": 0, "high": 1.5}})", target(kFloat, {1})),
            "f.json:1:59: input 'x': 'high' of integers must be a whole number, found 1.5");
}

TEST(DataSource, FillSaturatingPairs) {
  EXPECT_EQ(values(R"({"fill": "saturating_pairs", "low": 0, "high": 2})", target(kFloat, {10})),
            (Values{2, 2, 2, 2, 2, 2, 2, 0, 2, 2}));
  EXPECT_EQ(values(R"({"fill": "saturating_pairs"})", target(DType::kUint8, {8})),
            (Values{255, 255, 255, 255, 255, 255, 255, 0}));
}

TEST(DataSource, FillRoundingTies) {
  const Values ties = values(R"({"fill": "rounding_ties", "step": 0.25})", target(kFloat, {257}));
  EXPECT_EQ(ties[0], -32.0);
  EXPECT_EQ(ties[1], 31.75);
  EXPECT_EQ(ties[2], -127.5 * 0.25);
  EXPECT_EQ(ties[256], 126.5 * 0.25);
  EXPECT_EQ(error(R"({"fill": "rounding_ties"})", target(DType::kUint8, {1})),
            "f.json:1:10: input 'x': fill 'rounding_ties' makes fractions, which uint8 cannot hold");
}

TEST(DataSource, OtherFills) {
  EXPECT_EQ(values(R"({"fill": "extremes", "low": -4, "high": 2})", target(kFloat, {6})),
            (Values{-4, 2, 0, -2, 1, -4}));
  EXPECT_EQ(values(R"({"fill": "extremes"})", target(DType::kInt8, {5})), (Values{-128, 127, 0, -127, 126}));
  EXPECT_EQ(values(R"({"fill": "one_hot"})", target(kFloat, {3, 2})), (Values{1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(values(R"({"fill": "one_hot"})", target(DType::kInt8, {1, 2})), (Values{127, -128}));
  EXPECT_EQ(values(R"({"fill": "zero_point_edges", "step": 0.5, "low": -3, "high": 5})", target(kFloat, {9})),
            (Values{0, 0.25, -0.25, 0.5, -0.5, 0.75, -0.75, -3, 5}));
  EXPECT_EQ(values(R"({"fill": "zero_point_edges"})", target(DType::kInt8, {7})),
            (Values{-128, -127, -1, 0, 1, 126, 127}));
  EXPECT_EQ(error(R"({"fill": "extremes"})", target(DType::kInt32, {7})),
            "f.json:1:10: input 'x': fill 'extremes' is for floating-point and 8-bit tensors, not for int32");
}

TEST(DataSource, Files) {
  EXPECT_EQ(values(R"({"npy": "fortran_f8.npy"})", target(DType::kFloat64, {2, -1, 4}))[5], 5.0);
  EXPECT_EQ(values(R"({"npz": "stored.npz", "key": "x"})", target(kFloat, {2, 3})), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(shape(R"({"npz": "stored.npz", "key": "x", "shape": [3, 2]})", target(kFloat, {-1, -1})), (Shape{3, 2}));
  EXPECT_EQ(values(R"({"npy": "version3_u1.npy", "scale": -0.5, "offset": 1})", target(kFloat, {3})),
            (Values{1, 0.5, 0}));
  EXPECT_EQ(error(R"({"npy": "version3_u1.npy"})", target(kFloat, {3})),
            "f.json:1:1: input 'x': the data are uint8, the graph takes float32 (\"scale\": 1 converts)");
  EXPECT_EQ(error(R"({"npy": "version3_u1.npy"})", target(DType::kUint8, {4})),
            "f.json:1:1: input 'x': shape [3] does not fit the graph's [4]");
  EXPECT_EQ(error(R"({"npy": "none.npy"})", target(kFloat, {4})),
            "f.json:1:1: input 'x': none.npy: cannot be read: No such file or directory");
  EXPECT_EQ(values(R"({"npy": "version3_u1.npy"})", target(DType::kInt64, {3})), (Values{0, 1, 2}));
}

Graph graph_xy() {
  Graph graph;
  graph.inputs = {{"x", DType::kFloat32, true, {Dim{1, ""}, Dim{2, ""}}}};
  graph.outputs = {{"y", DType::kFloat32, true, {Dim{1, ""}, Dim{2, ""}}}};
  return graph;
}

Case case_with(const std::string& members) {
  CaseOrErrors parsed =
      parse_case(kData + "f.json", R"({"name": "case", "model": {"path": "m.onnx"}, )" + members + "}");
  EXPECT_TRUE(parsed.value) << (parsed.errors.empty() ? "" : parsed.errors.front());
  return parsed.value.value_or(Case{});
}

std::string strip(std::string message) { return message.starts_with(kData) ? message.substr(kData.size()) : message; }

TEST(CaseInputs, AreThoseOfTheGraph) {
  const auto loaded = load_inputs(case_with(R"("inputs": {"x": {"random": {}}})"), graph_xy(), false);
  EXPECT_EQ(loaded.value().tensors.at("x").shape(), (Shape{1, 2}));
  EXPECT_EQ(loaded.value().seeds.at("x"), 7999269499003910U);
  EXPECT_EQ(strip(load_inputs(case_with(R"("inputs": {})"), graph_xy(), false).error().message),
            "f.json:1:57: input 'x' of the model is not given");
  EXPECT_EQ(strip(load_inputs(case_with(R"("inputs": {"x": {"constant": 1}, "z": {"constant": 1}})"), graph_xy(), false)
                      .error()
                      .message),
            "f.json:1:80: the model has no input 'z'; nearest known input is 'x'");
  // Beside an input that is missing, an unknown one is the better news: it was probably meant to be that.
  EXPECT_EQ(strip(load_inputs(case_with(R"("inputs": {"z": {"constant": 1}})"), graph_xy(), false).error().message),
            "f.json:1:58: the model has no input 'z'; nearest known input is 'x'");
  const Case batch = case_with(R"("inputs": {"x": {"constant": 1, "shape": [8, 2]}})");
  EXPECT_FALSE(load_inputs(batch, graph_xy(), false).ok());
  EXPECT_EQ(load_inputs(batch, graph_xy(), true).value().tensors.at("x").shape(), (Shape{8, 2}));
}

TEST(CaseInputs, DatasetHasOneLabelASample) {
  const auto loaded = load_dataset(
      case_with(R"("dataset": {"inputs": {"x": {"values": [[1, 2], [3, 4], [5, 6]]}}, "labels": [0, 1, 1]})"),
      graph_xy());
  EXPECT_EQ(loaded.value().samples, 3);
  EXPECT_EQ(loaded.value().labels.to_indices(), (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(loaded.value().labels.dtype(), DType::kInt64);
  EXPECT_EQ(strip(load_dataset(case_with(R"("dataset": {"inputs": {"x": {"values": [[1, 2], [3, 4]]}},
                                           "labels": {"npy": "version3_u1.npy"}})"),
                               graph_xy())
                      .error()
                      .message),
            "f.json:2:54: labels: shape [3] does not fit the graph's [2]");
}

std::vector<Values> samples_of(Result<api::CalibrationSource> source) {
  std::vector<Values> samples;
  EXPECT_TRUE(source.ok()) << (source.ok() ? "" : source.error().message);
  if (source.ok()) {
    for (api::NamedTensors inputs; source.value()(static_cast<Index>(samples.size()), inputs).value(); inputs.clear()) {
      EXPECT_EQ(inputs.at("x").shape(), (Shape{1, 2}));
      samples.push_back(inputs.at("x").to_doubles());
    }
  }
  return samples;
}

TEST(Calibration, OneSourceASample) {
  EXPECT_EQ(
      samples_of(open_calibration(case_with(R"("calibration": {"x": [{"constant": -1}, {"ramp": {}}]})"), graph_xy())),
      (std::vector<Values>{{-1, -1}, {0, 1}}));
}

TEST(Calibration, OneSourceOfAllSamples) {
  const auto random = samples_of(
      open_calibration(case_with(R"("calibration": {"x": {"random": {"seed": 7}, "samples": 3}})"), graph_xy()));
  ASSERT_EQ(random.size(), 3U);
  EXPECT_EQ(random[0], values(R"({"random": {"seed": 7}})", target(kFloat, {2})));
  EXPECT_EQ(random[2], values(R"({"random": {"seed": 9}})", target(kFloat, {2})));
  const std::vector<Values> expected = {{1, 2}, {3, 4}};
  EXPECT_EQ(samples_of(open_calibration(case_with(R"("calibration": {"x": {"values": [[1, 2], [3, 4], [5, 6]],
                                                   "samples": 2}})"),
                                        graph_xy())),
            expected);
  EXPECT_EQ(
      samples_of(open_calibration(case_with(R"("calibration": {"x": {"values": [[[1, 2]], [[3, 4]]]}})"), graph_xy())),
      expected);
  EXPECT_EQ(strip(open_calibration(case_with(R"("calibration": {"x": {"values": [[1, 2]], "samples": 2}})"), graph_xy())
                      .error()
                      .message),
            "f.json:1:100: input 'x': 2 samples are wanted, the data have 1");
  EXPECT_EQ(
      strip(
          open_calibration(case_with(R"("calibration": {"x": {"values": [[1, 2, 3]]}})"), graph_xy()).error().message),
      "f.json:1:68: input 'x': samples stacked in [1,3]: shape [1,3] does not fit the graph's [1,2]");
}

// Arrays in files are read row by row: converted as a whole tensor would be, and refused before the first row.
TEST(Calibration, RowsOfAFileAreConverted) {
  const auto calibration = [](const std::string& source, std::vector<Dim> dims, DType dtype = kFloat) {
    Graph graph = graph_xy();
    graph.inputs[0].dims = std::move(dims);
    graph.inputs[0].dtype = dtype;
    return open_calibration(case_with(R"("calibration": {"x": )" + source + "}"), graph);
  };
  const auto rows = [](const Result<api::CalibrationSource>& source) {
    std::vector<Values> all;
    for (api::NamedTensors inputs; source.value()(static_cast<Index>(all.size()), inputs).value(); inputs.clear()) {
      all.push_back(inputs.at("x").to_doubles());
    }
    return all;
  };
  EXPECT_EQ(rows(calibration(R"({"npz": "stored.npz", "key": "x"})", {{3, ""}})),
            (std::vector<Values>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(rows(calibration(R"({"npz": "stored.npz", "key": "x", "samples": 1})", {{3, ""}})),
            (std::vector<Values>{{0, 1, 2}}));
  EXPECT_EQ(rows(calibration(R"({"npy": "version3_u1.npy", "scale": -0.5, "offset": 1})", {{1, ""}})),
            (std::vector<Values>{{1}, {0.5}, {0}}));
  EXPECT_EQ(rows(calibration(R"({"npy": "version3_u1.npy"})", {{1, ""}}, DType::kInt64)),
            (std::vector<Values>{{0}, {1}, {2}}));
  EXPECT_EQ(strip(calibration(R"({"npy": "version3_u1.npy"})", {{1, ""}}).error().message),
            "f.json:1:68: input 'x': the data are uint8, the graph takes float32 (\"scale\": 1 converts)");
  EXPECT_EQ(strip(calibration(R"({"npy": "none.npy"})", {{1, ""}}).error().message),
            "f.json:1:68: input 'x': " + kData + "none.npy: cannot be read: No such file or directory");
  EXPECT_EQ(strip(calibration(R"({"npz": "stored.npz", "key": "x", "samples": 3})", {{3, ""}}).error().message),
            "f.json:1:113: input 'x': 3 samples are wanted, the data have 2");
}

TEST(Calibration, WithoutItTheInputsCalibrate) {
  EXPECT_EQ(samples_of(open_calibration(case_with(R"("inputs": {"x": {"constant": 3}})"), graph_xy())),
            (std::vector<Values>{{3, 3}}));
  EXPECT_EQ(strip(open_calibration(case_with(R"("tags": [])"), graph_xy()).error().message),
            "f.json:1:1: the case has neither 'calibration' nor 'inputs' to calibrate with");
}

TEST(Calibration, SeedsAreKnown) {
  const auto seeds = calibration_seeds(
      case_with(R"("calibration": {"x": [{"random": {"seed": 5}}, {"constant": 1}, {"random": {}}]})"));
  EXPECT_EQ(seeds.value().size(), 2U);
  EXPECT_EQ(seeds.value().at({"x", 0}), 5U);
}

TEST(Calibration, DataOfTheCommandLine) {
  Graph graph = graph_xy();
  graph.inputs[0].dims = {Dim{3, ""}};
  const auto source = open_calibration_data({kData + "stored.npz"}, graph);
  ASSERT_TRUE(source.ok()) << source.error().message;
  const auto sample = [&](Index position) {
    api::NamedTensors inputs;
    return source.value()(position, inputs).value() ? inputs.at("x").to_doubles() : Values{};
  };
  EXPECT_EQ(sample(0), (Values{0, 1, 2}));
  EXPECT_EQ(sample(1), (Values{3, 4, 5}));
  EXPECT_EQ(sample(2), Values{});
  EXPECT_EQ(sample(0), (Values{0, 1, 2}));  // again, for a second pass
  EXPECT_EQ(open_calibration_data({"/nonexistent"}, graph).error().message,
            "/nonexistent: there is no such file or folder");
  EXPECT_EQ(open_calibration_data({kData}, graph).error().message,
            kData + ": there is no test_data_set_N in this folder");
}

TEST(Calibration, NamedFilesOfTheCommandLine) {
  Graph graph = graph_xy();
  graph.inputs[0].dims = {Dim{2, ""}};
  const std::string file = testing::TempDir() + "/calibration=named.npy";
  ASSERT_TRUE(save_npy(file, Tensor::from<float>({2, 2}, {1, 2, 3, 4})).ok());
  const auto source = open_calibration_data({"x=" + file}, graph);
  ASSERT_TRUE(source.ok()) << source.error().message;
  api::NamedTensors inputs;
  EXPECT_TRUE(source.value()(1, inputs).value());
  EXPECT_EQ(inputs.at("x").to_doubles(), (Values{3, 4}));
  EXPECT_FALSE(source.value()(2, inputs).value());
  EXPECT_EQ(open_calibration_data({"z=a.npy"}, graph).error().message,
            "--calibration 'z=a.npy': the model has no such input; its inputs are: x");
  EXPECT_EQ(open_calibration_data({"x=" + file, "x=b.npy"}, graph).error().message,
            "--calibration: input 'x' has two files: " + file + " and b.npy");
  graph.inputs.push_back(graph.inputs[0]);
  graph.inputs[1].name = "second";
  EXPECT_EQ(open_calibration_data({"x=" + file}, graph).error().message,
            "--calibration: input 'second' has no data; add --calibration second=FILE.npy");
}

TEST(Calibration, OtherFormsAreNamedWithTheAcceptedOnes) {
  const std::string forms =
      "it takes a file .npz with an array for each input, a folder with test_data_set_N, or NAME=FILE.npy for each "
      "input";
  const std::string npy = kData + "version3_u1.npy";
  EXPECT_EQ(open_calibration_data({npy}, graph_xy()).error().message, "--calibration " + npy + ": " + forms);
  EXPECT_EQ(open_calibration_data({npy, npy}, graph_xy()).error().message,
            "--calibration: 2 values do not go together; " + forms);
}

TEST(ReferenceValues, TakeTheOutputsTypeAndShape) {
  const Case test_case = case_with(R"("reference": {"values": {"y": [1, 2]}})");
  const auto& reference = std::get<ValuesReference>(test_case.references[0].what);
  const Tensor actual = Tensor::from<std::int8_t>({2, 1}, {1, 2});
  EXPECT_TRUE(bytes_equal(reference_values(reference, {{"y", actual}}).value().at("y"), actual));
  EXPECT_EQ(strip(reference_values(reference, {{"z", actual}}).error().message),
            "f.json:1:72: the model has no output 'y'; nearest known output is 'z'");
  const Case nested = case_with(R"("reference": {"values": {"y": [[1, 2]]}})");
  EXPECT_EQ(
      reference_values(std::get<ValuesReference>(nested.references[0].what), {{"y", actual}}).value().at("y").shape(),
      (Shape{1, 2}));
}

TEST(Golden, MissingFilesAreNamed) {
  EXPECT_EQ(load_golden({"/gold", {}}, graph_xy()).error().message,
            "golden output 'y': there is none of /gold/output_0.npy, /gold/output_0.pb and /gold/y.npy");
}

TEST(Golden, TakesTheNamesThatInferWrites) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "assay_golden";
  std::filesystem::create_directories(folder);
  Graph graph = graph_xy();
  graph.outputs[0].name = "y:0";
  const std::vector<float> values = {1, 2};
  ASSERT_TRUE(save_npy((folder / "y_0.npy").string(), Tensor::from<float>({2}, values)).ok());
  EXPECT_EQ(load_golden({folder.string(), {}}, graph).value().at("y:0").shape(), (Shape{2}));
  std::filesystem::remove_all(folder);
}

TEST(Golden, TakesAFileForTheOnlyOutputOrOneForEach) {
  const std::string folder = testing::TempDir() + "assay_golden_files";
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/right.npy";
  const std::vector<float> values = {1, 2};
  ASSERT_TRUE(save_npy(file, Tensor::from<float>({2}, values)).ok());
  Graph graph = graph_xy();
  EXPECT_EQ(load_golden({file, {}}, graph).value().at("y").shape(), (Shape{2}));
  EXPECT_EQ(load_golden({"", {{"y", file}}}, graph).value().at("y").shape(), (Shape{2}));
  EXPECT_EQ(load_golden({"", {{"z", file}}}, graph).error().message,
            "golden: the model has no output 'z'; nearest known output is 'y'");
  EXPECT_EQ(load_golden({"", {{"y", "right.txt"}}}, graph).error().message,
            "golden output 'y': right.txt is neither .npy nor .pb");
  graph.outputs.push_back(graph.outputs[0]);
  graph.outputs[1].name = "second";
  EXPECT_EQ(load_golden({file, {}}, graph).error().message,
            "golden: " + file + " is one tensor, the model has 2 outputs: name a file for each");
  std::filesystem::remove_all(folder);
}

TEST(Golden, TakesTheArraysOfAnArchive) {
  Graph graph = graph_xy();
  const std::string archive = kData + "stored.npz";
  const std::vector<std::string> keys = npz_keys(archive).value();
  graph.outputs[0].name = keys.front();
  EXPECT_TRUE(
      bytes_equal(load_golden({archive, {}}, graph).value().at(keys.front()), load_npz(archive, keys.front()).value()));
  graph.outputs[0].name = "nothing";
  const std::string message = load_golden({archive, {}}, graph).error().message;
  EXPECT_EQ(message.substr(0, message.find(", only")),
            "golden output 'nothing': " + archive + " has neither 'nothing' nor 'output_0'");
}

TEST(TestData, AFolderGivesTheInputsByTheirNumber) {
  const std::string folder = testing::TempDir() + "assay_test_data_set_0";
  std::filesystem::create_directories(folder);
  const std::vector<float> values = {1, 2};
  Case test_case = case_with(R"("inputs": "data")");
  EXPECT_EQ(test_case.test_data, kData + "data");
  test_case.test_data = folder;
  ASSERT_TRUE(save_npy(folder + "/input_0.npy", Tensor::from<float>({2}, values)).ok());
  EXPECT_EQ(load_inputs(test_case, graph_xy(), false).value().tensors.at("x").shape(), (Shape{2}));
  EXPECT_FALSE(has_golden_outputs(folder));
  ASSERT_TRUE(save_npy(folder + "/output_0.npy", Tensor::from<float>({2}, values)).ok());
  EXPECT_TRUE(has_golden_outputs(folder));
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(load_inputs(test_case, graph_xy(), false).ok());
}

TEST(Calibration, ACaseMayNameAFolderOfTestData) {
  const std::string folder = testing::TempDir() + "assay_calibration_sets";
  const std::vector<float> values = {1, 2};
  for (const char* set : {"/test_data_set_0", "/test_data_set_1"}) {
    std::filesystem::create_directories(folder + set);
    ASSERT_TRUE(save_npy(folder + set + "/input_0.npy", Tensor::from<float>({2}, values)).ok());
  }
  Case test_case = case_with(R"("calibration": "sets")");
  EXPECT_EQ(test_case.calibration_data, kData + "sets");
  test_case.calibration_data = folder;
  const api::CalibrationSource source = open_calibration(test_case, graph_xy()).value();
  api::NamedTensors inputs;
  EXPECT_TRUE(source(1, inputs).value());
  EXPECT_FALSE(source(2, inputs).value());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(strip(open_calibration(test_case, graph_xy()).error().message).substr(0, 6), "f.json");
}

}  // namespace
}  // namespace assay::spec
