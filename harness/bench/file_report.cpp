// SPDX-License-Identifier: Apache-2.0
#include "harness/bench/file_report.h"

#include <utility>

#include "engine/base/output_file.h"
#include "harness/bench/library_flags.h"

namespace assay::bench {
namespace {

std::unique_ptr<benchmark::BenchmarkReporter> writer_of(const std::string& format) {
  if (format == "console") {
    return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
  }
  if (format == "csv") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the library still offers it
    return std::make_unique<benchmark::CSVReporter>();
#pragma GCC diagnostic pop
  }
  return std::make_unique<benchmark::JSONReporter>();
}

}  // namespace

FileReport::FileReport(std::string path, const std::string& format)
    : path_(std::move(path)), writer_(writer_of(format)) {
  writer_->SetOutputStream(&text_);
  writer_->SetErrorStream(&text_);
}

std::unique_ptr<FileReport> FileReport::take(std::vector<std::string>& flags) {
  const std::string path = value_of(flags, "--benchmark_out").value_or("");
  if (path.empty()) {
    return nullptr;
  }
  flags.emplace_back("--benchmark_out=/dev/null");
  return std::unique_ptr<FileReport>(new FileReport(path, value_of(flags, "--benchmark_out_format").value_or("json")));
}

Status FileReport::write() const { return replace_file(path_, text_.str()); }

}  // namespace assay::bench
