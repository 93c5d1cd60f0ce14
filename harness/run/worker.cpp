// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker.h"

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/run/execution.h"
#include "harness/run/external/runtime_host.h"
#include "harness/run/maker.h"
#include "harness/run/runtime_identities.h"
#include "harness/run/settings.h"
#include "harness/run/test_faults.h"
#include "harness/run/variant.h"
#include "reports/results_json.h"

namespace assay::run {
namespace {

Handler guarded(Handler handler) {
  return [handler = std::move(handler)](const Json& request) -> Json {
    try {
      return handler(request);
    } catch (const std::bad_alloc&) {
      return {{"error", "a lack of memory (out of memory)"}};
    } catch (const std::exception& error) {
      return {{"error", error.what()}};
    }
  };
}

}  // namespace

Handler worker_handler(const Selection& selection, const TimingSettings& timing, const std::string& scratch) {
  const auto host = std::make_shared<RuntimeHost>(scratch);
  const auto execution = std::make_shared<std::optional<Execution>>();
  const auto judged = std::make_shared<JudgedVariant>();            // whose cause is still to be found
  const auto runtimes = std::make_shared<std::set<std::string>>();  // external ones, of that variant
  const auto answer = [host, judged, runtimes] {
    Json record = reports::result_to_json(judged->record);
    if (!runtimes->empty()) {
      record[kRuntimesKey] = identities_of(*runtimes, *host);
    }
    return record;
  };
  return guarded([&selection, timing, host, execution, judged, runtimes, answer](const Json& request) -> Json {
    if (request.contains(kMore)) {
      judged->find_cause(judged->record);
      return answer();
    }
    if (request.contains("time")) {
      return time_variants(selection, request.at("time").get<std::vector<std::size_t>>(), timing, *host);
    }
    const auto position = request.at("job").get<std::size_t>();
    selection.keep_cases(1);
    const std::shared_ptr<const spec::Variant> variant = selection.variant(position);
    const spec::Case& test_case = selection.case_of(position);
    apply_test_faults(variant->name);
    if (!*execution || &(*execution)->test_case() != &test_case) {
      execution->emplace(test_case, *host);
    }
    *judged = judge_variant(**execution, *variant);
    *runtimes = external_runtimes(test_case, variant->configuration);
    return judged->find_cause ? Json{{kMore, answer()}} : answer();
  });
}

}  // namespace assay::run
