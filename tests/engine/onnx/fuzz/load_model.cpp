// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: whatever the bytes, a model loads or is refused with a message, and what loads can be written and
// loads again as a file of the same bytes. libFuzzer itself watches time and the size of allocations (scripts/fuzz).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "engine/onnx/parse_model.h"
#include "engine/onnx/serialize.h"
#include "engine/onnx/validate.h"

namespace assay {
namespace {

[[noreturn]] void broken(const char* rule, const std::string& found) {
  std::fprintf(stderr, "%s: %s\n", rule, found.c_str());
  std::abort();
}

Result<Graph> load(std::span<const std::byte> bytes) {
  ASSAY_ASSIGN(Graph graph, onnx::parse_model(bytes, std::nullopt));
  ASSAY_TRY(onnx::validate_graph(graph));
  return graph;
}

void check_error(const Error& error) {
  if (error.message.empty()) {
    broken("an error needs a message", "none");
  }
  if (error.kind == ErrorKind::kInternal) {
    broken("no file is an internal error", error.message);
  }
}

void check(std::span<const std::byte> bytes) {
  const Result<Graph> graph = load(bytes);
  if (!graph.ok()) {
    check_error(graph.error());
    return;
  }
  const Result<std::string> first = onnx::serialize_model(graph.value());
  if (!first.ok()) {
    check_error(first.error());
    return;
  }
  const Result<Graph> again = load(std::as_bytes(std::span(first.value())));
  if (!again.ok()) {
    broken("what is written loads again", again.error().message);
  }
  const Result<std::string> second = onnx::serialize_model(again.value());
  if (!second.ok() || first.value() != second.value()) {
    broken("what is written and read is written as it was", second.ok() ? "other bytes" : second.error().message);
  }
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  assay::check(std::as_bytes(std::span(data, size)));
  return 0;
}
