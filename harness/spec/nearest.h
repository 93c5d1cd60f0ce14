// SPDX-License-Identifier: Apache-2.0
// The known word that an unknown one was probably meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::spec {

// The candidate with the smallest edit distance (insertions, deletions, substitutions, swapped neighbours), the first
// of equals; "" without candidates. A word without a dot is also compared with what follows a candidate's last dot:
// 'relu' is near 'quantizer.relu'.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// At most `limit` bytes of a text for a message, with "..." behind it where something was cut.
std::string shortened(std::string_view text, std::size_t limit = 60);

}  // namespace assay::spec
