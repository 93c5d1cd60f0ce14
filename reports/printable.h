// SPDX-License-Identifier: Apache-2.0
// Texts from cases, models and adapters on their way to a terminal or into a text that a terminal may show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reports/sink.h"

namespace assay::reports {

// Controls (below U+0020, U+007F to U+009F) as "\x1b"; line feeds and tabs stay. What breaks lines or turns the order
// of text elsewhere (hidden_length) as "\u202e". Nothing else is changed.
std::string printable(std::string_view text);

// The bytes of the character that `text` begins with, where it cannot be seen and makes other text look as it is not:
// U+061C, U+200B, U+200E, U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF. Else 0. (The joiners U+200C and U+200D
// belong to the spelling of some languages.)
std::size_t hidden_length(std::string_view text);
// Of such a character: "\u202e".
std::string hidden_text(std::string_view character);

// The same for a text that is a part of one line: line feeds and tabs are shown too ("\\n", "\\t"), and what begins a
// command to GitHub's runner, "::" at the beginning and "##[" anywhere, has its first byte shown as "\\x3a" or "\\x23".
std::string one_line(std::string_view text);

// Passes on what is printable of each piece. Pieces end between characters.
Sink printable_sink(Sink sink);

// The colours of the console report: marks that no UTF-8 text has until the sink makes escape sequences of them, which
// nothing else in the text can become.
std::string color_mark(int code);  // SGR 0 to 99: 0 ends a colour, 31 is red
Sink color_sink(Sink sink);

}  // namespace assay::reports
