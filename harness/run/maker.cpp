// SPDX-License-Identifier: Apache-2.0
#include "harness/run/maker.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "harness/run/host.h"

namespace assay::run {
namespace {

using reports::Json;

constexpr std::array kKeys = {"assay", "build", "cpu", "features", "best_isa"};

std::string value_of(const Json& facts, const char* key) {
  const auto found = facts.is_object() ? facts.find(key) : facts.end();
  return facts.is_object() && found != facts.end() ? reports::value_text(*found) : "unknown";
}

// The build id among the notes of a segment, or "".
std::string id_in_notes(const char* notes, std::size_t size) {
  const auto padded = [](std::size_t length) { return (length + 3) / 4 * 4; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note{};
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note;
    const std::size_t value = name + padded(note.n_namesz);
    if (value + note.n_descsz > size) {
      break;
    }
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(notes + name, note.n_namesz) == std::string_view("GNU", 4)) {
      std::string digits;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(notes[value + i]));
      }
      return digits;
    }
    at = value + padded(note.n_descsz);
  }
  return "";
}

// The first object is the program itself.
int visit_program(dl_phdr_info* object, std::size_t size, void* out) {
  (void)size;
  auto& id = *static_cast<std::string*>(out);
  for (std::size_t i = 0; i < object->dlpi_phnum && id.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader states addresses as numbers
      id = id_in_notes(reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    }
  }
  return 1;
}

}  // namespace

std::string build_id() {
  std::string id;
  ::dl_iterate_phdr(visit_program, &id);
  return id;
}

Json this_maker() {
  const Json host = host_facts();
  Json maker = Json::object();
  for (const char* key : kKeys) {
    maker[key] = host.at(key);
  }
  return maker;
}

std::string changed_maker(const Json& then, const Json& now) {
  std::string changes;
  const auto compare = [&](const std::string& what, const std::string& before, const std::string& after) {
    if (before != after) {
      changes += fmt::format("{}{} was {}, now {}", changes.empty() ? "" : "; ", what, before, after);
    }
  };
  for (const char* key : kKeys) {
    compare(key, value_of(then, key), value_of(now, key));
  }
  const Json before = then.is_object() ? then.value(kRuntimesKey, Json::object()) : Json::object();
  const Json after = now.value(kRuntimesKey, Json::object());
  for (const auto& [name, identity] : after.items()) {
    compare("runtime " + name, value_of(before, name.c_str()), reports::value_text(identity));
  }
  return changes;
}

std::string version_text(const Json& host) { return "assay " + value_of(host, "assay"); }

std::string program_text(const Json& host) {
  return fmt::format("{}, build {}", version_text(host), value_of(host, "build"));
}

}  // namespace assay::run
