// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/nearest.h"

#include <algorithm>

namespace assay::spec {
namespace {

// Longer words are compared by their beginning: distances of a pasted page help nobody.
constexpr std::size_t kMaxLength = 80;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kMaxLength);
  b = b.substr(0, kMaxLength);
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const std::size_t substituted = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

// A word without a dot may be the last part of a dotted name.
std::size_t distance_to(std::string_view word, std::string_view candidate) {
  const std::size_t whole = edit_distance(word, candidate);
  const std::size_t dot = candidate.rfind('.');
  if (dot == std::string_view::npos || word.find('.') != std::string_view::npos) {
    return whole;
  }
  return std::min(whole, edit_distance(word, candidate.substr(dot + 1)));
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = static_cast<std::size_t>(-1);
  for (const std::string& candidate : candidates) {
    const std::size_t distance = distance_to(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return std::string(text);
  }
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // not inside a UTF-8 sequence
  }
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace assay::spec
