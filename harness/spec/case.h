// SPDX-License-Identifier: Apache-2.0
// A case as it stands in its file, checked but not yet expanded. docs/case-language.md is the reference.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/dtype.h"
#include "harness/spec/axis.h"
#include "harness/spec/document.h"

namespace assay::spec {

enum class ModelKind { kPath, kGraph, kRecipe };

struct ModelSource {
  ModelKind kind = ModelKind::kPath;
  std::string path;  // kPath: resolved against the case's folder
  std::string recipe;
  Element element;  // the "model" object
};

// One of the data sources; data_source.h makes tensors of it.
struct DataSource {
  Element element;
};

struct Calibration {
  // Either samples.size() samples, or one source that gives them all ("samples", or the first axis of a file).
  std::vector<DataSource> samples;
  std::optional<DataSource> stacked;
};

struct DatasetSource {
  std::vector<std::pair<std::string, DataSource>> inputs;
  DataSource labels;
};

// A check; whether it applies to a variant is the expectation's when/unless.
struct Check {
  std::string metric;
  std::optional<double> at_most;
  std::optional<double> at_least;
  std::string output;       // "": every output
  double quantile = 0.99;   // quantile_abs_error
  double beyond_steps = 0;  // mismatch_share
  Index k = 5;              // topk_agreement
  double rtol = 1e-5;       // tolerance_ratio
  double atol = 1e-8;       // tolerance_ratio
  std::string part;         // of the error ledger; "": actual against the reference
  std::string side;         // "above" or "below": errors of that side alone; "": both
  bool confident = false;   // the whole interval must lie within the limits
  std::string op;           // node_count: "": every operator
  std::string graph;        // node_count: "quantized" or "optimized"
};

enum class ClaimKind { kXfail, kRefused, kWarned };

struct Claim {
  ClaimKind kind = ClaimKind::kXfail;
  std::string reason;   // kXfail
  std::string cause;    // kXfail; "" if not given
  std::string message;  // kRefused, kWarned: what the message must contain
};

struct Expectation {
  Condition when;
  Condition unless;
  bool has_unless = false;
  std::variant<Check, Claim> what;
  Element element;
  bool applies(const Configuration& configuration) const {
    return when.holds(configuration) && !(has_unless && unless.holds(configuration));
  }
};

struct ConfigurationReference {
  Configuration configuration;  // axes not named: those of the float reference
};
struct RuntimeReference {
  std::string runtime;
};
struct GoldenReference {
  std::string path;                                        // a folder, or an .npz, .npy or .pb file, resolved
  std::vector<std::pair<std::string, std::string>> files;  // instead: a resolved .npy or .pb file by output
};
struct ValuesReference {
  std::vector<std::pair<std::string, Element>> outputs;
};

struct Reference {
  Condition when;
  std::variant<ConfigurationReference, RuntimeReference, GoldenReference, ValuesReference> what;
  Element element;
};

// The float model at optimization=none, isa=scalar: what a case without "reference" is compared with, and what
// ConfigurationReference starts from.
Configuration float_reference();

struct Timing {
  std::string compare;  // an axis of the matrix
  Json baseline;        // one of its values
  std::optional<double> at_least_speedup;
};

// One entry of include or exclude, and the matrix itself: axes with their values, in the file's order.
using AxisList = std::vector<std::pair<std::string, std::vector<Json>>>;

// What the host must have for the variants that `when` fits.
struct Needs {
  Condition when;
  std::vector<std::string> features;  // of the CPU, as `assay doctor` names them
  std::vector<std::string> runtimes;  // of the registry
  std::vector<std::string> packages;  // of Debian
  std::vector<std::string> programs;  // on the PATH
  std::vector<std::string> files;     // resolved
  Index cores = 0;
  Index memory_mb = 0;  // MiB
};

// How often a case is worth running; each tier takes in those before it.
enum class Tier { kSmoke, kNightly, kWeekly };
std::optional<Tier> tier_of_name(std::string_view name);
std::string_view tier_name(Tier tier);
std::vector<std::string> tier_names();

struct Case {
  std::string path;    // the file, as it was named
  std::string folder;  // paths in the case are relative to it
  std::string name;
  std::string description;
  std::vector<std::string> tags;
  Tier tier = Tier::kNightly;
  std::vector<Needs> needs;
  ModelSource model;
  std::vector<std::pair<std::string, DataSource>> inputs;
  std::string test_data;  // instead: a folder with input_N.pb or .npy for the N-th input of the graph, resolved
  std::vector<std::pair<std::string, Calibration>> calibration;
  std::string calibration_data;  // instead: what `assay quantize --calibration` takes, resolved
  std::optional<DatasetSource> dataset;
  AxisList matrix;
  std::vector<AxisList> include;
  std::vector<AxisList> exclude;
  std::vector<Reference> references;  // the first whose `when` holds; none: float_reference()
  std::vector<Expectation> expectations;
  std::optional<std::string> weak_ok;
  std::optional<Timing> timing;
  bool ledger = false;  // split the error of every variant into its parts
  Element element;      // the whole file

  // Of the backend tests of ONNX (onnx_tests.h) only.
  std::string onnx_tests;                  // the tree that the case stands in
  std::optional<std::string> skip_reason;  // there is nothing to run
  bool skips_unsupported = false;          // what this build does not have is a skip, not invalid

  // The reference of a variant; null for the default one.
  const Reference* reference_for(const Configuration& configuration) const;
};

// Reads and checks one case. On failure every error found is in the list, each "FILE:LINE:COLUMN: message".
struct CaseOrErrors {
  std::optional<Case> value;
  std::vector<std::string> errors;
};
CaseOrErrors parse_case(std::string path, std::string text);
CaseOrErrors load_case(const std::string& path);

// The cases under files and folders, in the order of the paths and by name within a folder.
//   A folder is searched for *.json, except in sub-folders named "data" or "models".
//   Two cases of one name are an error. A file named twice counts once.
struct CaseSet {
  std::vector<Case> cases;
  std::vector<std::string> errors;
};
CaseSet load_cases(const std::vector<std::string>& paths);

// The JSON Schema of case files (draft-07), as `assay schema` prints it.
std::string_view case_schema_text();

}  // namespace assay::spec
