// SPDX-License-Identifier: Apache-2.0
// What pictures are drawn with: SVG in a monospaced font.
#pragma once

#include <string>

#include "reports/text_table.h"

namespace assay::reports {

// Pixels. Monospaced fonts advance by 0.6 em.
inline constexpr double kFontSize = 13;
inline constexpr double kAdvance = kFontSize * 0.6;
inline constexpr double kLine = 20;
inline constexpr double kMargin = 16;

inline constexpr const char* kInk = "#1f2328";
inline constexpr const char* kDimInk = "#59636e";

struct DrawnText {
  std::string text;
  std::string fill = kInk;
  bool bold = false;
};
std::string text_at(double x, double y, const DrawnText& text, Align align = Align::kLeft);
std::string line_at(double y, double width);
// The box of a bar whose label stands on the line `y`.
std::string bar_at(double x, double y, double width, const std::string& fill);

struct Drawing {
  std::string body;
  double width = 0;
  double height = 0;
};
// The whole picture, with margins.
std::string wrapped(const Drawing& drawing);

}  // namespace assay::reports
