// SPDX-License-Identifier: Apache-2.0
// Texts from cases, models and adapters on their way to a terminal or into a text that a terminal may show.
#pragma once

#include <string>
#include <string_view>

#include "reports/sink.h"

namespace assay::reports {

// Controls (below U+0020, U+007F to U+009F) as "\x1b"; line feeds and tabs stay. Nothing else is changed.
std::string printable(std::string_view text);

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
