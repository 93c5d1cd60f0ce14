// SPDX-License-Identifier: Apache-2.0
// stdout for data, stderr for everything else.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace assay::cli {

// Writes data to stdout. Gives `code`, or 4 with a message where stdout cannot be written. A reader that has gone away
// (a broken pipe) has what it wanted: no error.
int print_data(const std::string& text, int code = 0);

// The same without an exit code or a message.
Status write_stdout(const std::string& text);
// And for text that comes piece by piece.
Status write_stdout(const std::function<void(const std::function<void(std::string_view)>&)>& produce);

// Puts /dev/null where stdin, stdout or stderr are closed, so that no file gets their number and their text.
void reserve_standard_streams();

// "assay: TEXT" on stderr, on one line. Where that cannot be written, nobody wants to know: it changes no outcome.
void say(const std::string& text);
// The same for an error; gives `code`.
int complain(const std::string& text, int code);
// An error with the exit code of its kind: 2 for what the user gave, 4 for the harness and its environment.
int complain(const Error& error);
int exit_code_of(const Error& error);

// What the user typed to run this program: ASSAY_COMMAND, which scripts that wrap it set, else argv[0] if it is a path,
// else "assay".
std::string program_as_called();

// Characters of a line on stdout: COLUMNS, else what the terminal says, else 100; at least 40.
std::size_t line_width();

bool stdout_is_terminal();
bool stderr_is_terminal();
// --color, --no-color (`asked`), else NO_COLOR, else whether stdout is a terminal.
bool use_color(std::optional<bool> asked);

}  // namespace assay::cli
