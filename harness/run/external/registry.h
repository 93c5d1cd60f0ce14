// SPDX-License-Identifier: Apache-2.0
// External runtimes: which there are, and how each is started. docs/external-runtimes.md states the file's form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace assay::run {

struct RuntimeEntry {
  std::string name;
  std::string description;
  std::vector<std::string> command;    // program and arguments, with paths as they are to be opened
  std::vector<std::string> requires_;  // files and programs without which it cannot start
  std::string hint;                    // how to get them: "scripts/setup-peers fetches it"
  std::string isa = "unknown";         // of the arithmetic it answers with, for the record
  bool emulated = false;               // its CPU is emulated: its times mean nothing
};

class RuntimeRegistry {
 public:
  // The file named by ASSAY_RUNTIMES, else scripts/runtimes/registry.json or share/assay/runtimes/registry.json in a
  // folder above the program. Without any of these the registry is empty.
  // Errors: the named file is missing, or a file breaks the form; the message names file, entry and rule.
  static Result<RuntimeRegistry> find();
  static Result<RuntimeRegistry> read(const std::string& path);

  const std::map<std::string, RuntimeEntry>& entries() const { return entries_; }
  // Errors: no such runtime, with the nearest name.
  Result<RuntimeEntry> entry(const std::string& name) const;

 private:
  std::string path_;
  std::map<std::string, RuntimeEntry> entries_;
};

// What the registry says of it that its answers depend on, as a short text: "isa avx2, command 0123456789abcdef". The
// digest is of the command's words and of the files among them, as an adapter's script, that are not above 16 MiB.
std::string identity_text(const RuntimeEntry& entry);

// Why the runtime cannot start on this machine, or nothing: "peer missing: node is not installed; ...".
std::optional<std::string> missing_part(const RuntimeEntry& entry);

}  // namespace assay::run
