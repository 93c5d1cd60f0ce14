// SPDX-License-Identifier: Apache-2.0
#include "reports/drawing.h"

#include <fmt/format.h>

#include "reports/xml_text.h"

namespace assay::reports {

std::string text_at(double x, double y, const DrawnText& text, Align align) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\"{}{}>{}</text>\n", x, y, text.fill,
                     align == Align::kRight ? " text-anchor=\"end\"" : "", text.bold ? " font-weight=\"bold\"" : "",
                     xml_text(text.text));
}

std::string line_at(double y, double width) {
  return fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#d0d7de\"/>\n", kMargin, y,
                     kMargin + width, y);
}

std::string bar_at(double x, double y, double width, const std::string& fill) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y - 12,
                     width, kLine - 5, fill);
}

std::string wrapped(const Drawing& drawing) {
  const double width = drawing.width + 2 * kMargin;
  const double height = drawing.height + kMargin - kLine / 2;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"{2}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{3}</svg>\n",
      width, height, kFontSize, drawing.body);
}

}  // namespace assay::reports
