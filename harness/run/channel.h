// SPDX-License-Identifier: Apache-2.0
// Messages between coordinator and workers: a length (4 bytes, this machine's order) and that many bytes of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/record.h"

namespace assay::run {

using reports::Json;

// Writes all of it. False if the other end is gone.
bool send_message(int descriptor, const Json& message);

// Waits for a whole message; nothing at the end of the stream or on a torn message.
std::optional<Json> receive_message(int descriptor);

// Collects what arrives in pieces, for the coordinator, which must not wait for one worker.
class MessageBuffer {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  // The next whole message, or nothing yet.
  std::optional<Json> next();

 private:
  std::string bytes_;
};

}  // namespace assay::run
