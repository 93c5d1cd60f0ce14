// SPDX-License-Identifier: Apache-2.0
// --benchmark_out without the library's own writing: its report is collected, and the file is written whole or not at
// all.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace assay::bench {

class FileReport final : public benchmark::BenchmarkReporter {
 public:
  // Takes --benchmark_out and --benchmark_out_format of `flags`, checked before; null where no file is asked for.
  // The library wants a file beside a reporter for it: `flags` then name one that keeps nothing.
  static std::unique_ptr<FileReport> take(std::vector<std::string>& flags);

  bool ReportContext(const Context& context) override { return writer_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override { writer_->ReportRuns(runs); }
  void Finalize() override { writer_->Finalize(); }

  // After a run that had rows. Errors: kIo.
  Status write() const;

 private:
  FileReport(std::string path, const std::string& format);

  std::string path_;
  std::ostringstream text_;
  std::unique_ptr<benchmark::BenchmarkReporter> writer_;
};

}  // namespace assay::bench
