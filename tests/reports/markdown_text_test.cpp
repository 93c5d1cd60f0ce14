// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/summary_md.h"
#include "reports/text_table.h"
#include "tests/reports/sample_run.h"

namespace assay::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Row {
  std::string text;
  std::string markdown;
};

TEST(MarkdownText, LooksAsItIs) {
  for (const Row& row : {
           Row{"reported/conv_relu[runtime.isa=avx2]", "reported/conv_relu[runtime.isa=avx2]"},
           Row{"a|b", "a\\|b"},
           Row{"**bold** ~~no~~ `code`", "\\*\\*bold\\*\\* \\~\\~no\\~\\~ \\`code\\`"},
           Row{"<img src=x>", "\\<img src=x>"},
           Row{"&lt;", "\\&lt;"},
           Row{"_em_ snake_case", "\\_em\\_ snake_case"},
           Row{"[click](http://x)", "\\[click\\](http://x)"},
           Row{"![i][r]", "!\\[i\\]\\[r\\]"},
           Row{"# h", "\\# h"},
           Row{"> q", "\\> q"},
           Row{"- item", "\\- item"},
           Row{"12. item", "12\\. item"},
           Row{"1.5 steps", "1\\.5 steps"},
           Row{"C#", "C#"},
           Row{"closed ##", "closed \\##"},
           Row{"a\n# b", "a\\\\n# b"},
           Row{"back\\slash", "back\\\\slash"},
           Row{"", ""},
       }) {
    EXPECT_EQ(markdown_text(row.text), row.markdown);
  }
}

TEST(MarkdownText, EveryTextOfASummaryIsEscaped) {
  const std::string hostile = "**x** | <b>\n# big";
  RunRecord run;
  run.host = {{"cpu", hostile}, {"cores", 2}};
  run.harness_error = hostile;
  for (const char* isa : {"scalar", "avx2"}) {
    VariantResult result = test::make_result(hostile, Json{{"runtime.isa", isa}}, Outcome::kFail);
    result.ledger = {{.part = "total", .output = hostile}};
    result.saturation = {{.node = hostile, .pairs = 2, .saturated = 1, .largest_loss = 5, .samples = 1}};
    result.timing = test::make_timing(1000);
    result.timing->note = hostile;
    run.results.push_back(result);
  }
  std::string text = report_text(start_summary_md, run);
  const std::size_t fence = text.find("```");
  text.erase(fence, text.find("```", fence + 3) - fence);  // where nothing is markup
  EXPECT_THAT(text, HasSubstr("\n### \\*\\*x\\*\\* \\| \\<b>\\\\n# big\n"));
  EXPECT_THAT(text, HasSubstr("The harness failed: \\*\\*x\\*\\* \\| \\<b>\\\\n# big\n"));
  EXPECT_THAT(text, HasSubstr("Host: \\*\\*x\\*\\* \\|"));
  EXPECT_THAT(text, Not(HasSubstr("\n# big")));
  EXPECT_THAT(text, Not(HasSubstr(" <b>")));
  EXPECT_THAT(text, Not(HasSubstr("**x**")));
}

}  // namespace
}  // namespace assay::reports
