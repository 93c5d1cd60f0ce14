// SPDX-License-Identifier: Apache-2.0
#include "reports/github_annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reports/attention.h"
#include "reports/printable.h"

namespace assay::reports {
namespace {

struct Level {
  const char* command;
  bool (*holds)(Outcome outcome);
};

constexpr std::array<Level, 3> kLevels{{
    {"error", is_failure},
    {"warning", [](Outcome outcome) { return outcome == Outcome::kWeak || outcome == Outcome::kInconclusive; }},
    {"notice", [](Outcome outcome) { return outcome == Outcome::kSkip; }},
}};

// The message of a command: "%", CR and LF are escaped, in properties ":" and "," too. At most `most` bytes, cut
// between characters and not within an escape.
std::string escaped(const std::string& text, bool property, std::size_t most = kMostAnnotationBytes) {
  std::string out;
  std::size_t whole = 0;  // bytes of `out` up to the last character that fits
  for (const char c : printable(text)) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      if (out.size() > most) {
        break;
      }
      whole = out.size();
    }
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out.size() > most ? out.substr(0, whole) : out;
}

std::string annotation(const Level& level, const AttentionGroup& group) {
  const VariantResult& first = group.first;
  std::string text = one_line(first.name) + "\n" + explanation_text(first);
  if (group.count > 1) {
    text += fmt::format("and {} variants more alike{}\n", group.count - 1, narrowed_text(group));
  }
  const std::string head =
      fmt::format("::{} file={},line=1,title={}::", level.command, escaped(first.case_file, true),
                  escaped(fmt::format("{} {}", outcome_name(first.outcome), first.case_name), true));
  return head + escaped(text, false, kMostAnnotationBytes - std::min(head.size(), kMostAnnotationBytes / 2)) + "\n";
}

void write_annotations(const RunRecord& run, const AttentionList& list, const Sink& sink) {
  if (!run.harness_error.empty()) {
    sink("::error title=assay::" +
         escaped("the harness failed: " + run.harness_error, false, kMostAnnotationBytes / 2) + "\n");
  }
  for (const Level& level : kLevels) {
    std::size_t kinds = level.command == std::string_view("error") && !run.harness_error.empty() ? 1 : 0;
    std::size_t all = kinds;
    for (const AttentionGroup& group : list.groups) {
      all += level.holds(group.first.outcome) ? 1 : 0;
    }
    std::size_t hidden = 0;
    for (const AttentionGroup& group : list.groups) {
      if (!level.holds(group.first.outcome)) {
        continue;
      }
      if (++kinds < kMostAnnotations || all <= kMostAnnotations) {
        sink(annotation(level, group));
      } else {
        hidden += group.count;
      }
    }
    if (hidden > 0) {
      sink(fmt::format("::{} title=assay::and {} variants more: the summary and results.json have them\n",
                       level.command, hidden));
    }
  }
}

class GithubAnnotations : public Renderer {
 public:
  GithubAnnotations(const RunRecord& run, const Sink& sink) : run_(run), sink_(sink) {}
  void take(const CaseGroup& group) override { attention_.take(group); }
  void finish() override { write_annotations(run_, attention_.list(), sink_); }

 private:
  const RunRecord& run_;
  Sink sink_;
  AttentionCollector attention_ = attention_collector();
};

}  // namespace

std::unique_ptr<Renderer> start_github_annotations(const RunRecord& run, const Sink& sink) {
  return std::make_unique<GithubAnnotations>(run, sink);
}

}  // namespace assay::reports
