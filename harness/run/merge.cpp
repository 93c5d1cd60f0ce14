// SPDX-License-Identifier: Apache-2.0
#include "harness/run/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/run/maker.h"
#include "harness/run/output_folder.h"

namespace assay::run {
namespace {

struct Part {
  std::string folder;
  reports::ShardInfo shard;
  reports::RunRecord run;
};

// `alone`: the only folder, which may be a run without shards, as that of a pipeline whose number of jobs is 1.
Result<Part> read_part(const std::string& folder, bool alone) {
  std::error_code error;
  const std::filesystem::file_status results =
      std::filesystem::status(std::filesystem::path(folder) / "results.json", error);
  if (std::filesystem::is_directory(folder, error) && results.type() == std::filesystem::file_type::not_found) {
    return invalid_argument(folder + " has no results.json: no run has ended there; --resume ends one");
  }
  ASSAY_ASSIGN(reports::RunRecord run, read_run(folder));
  if (!run.shard && !alone) {
    return invalid_argument(folder + " is no shard: its run had no --shard, or was the only one");
  }
  const reports::ShardInfo whole{.index = 1, .count = 1, .total = run.results.size(), .selection = ""};
  const reports::ShardInfo shard = run.shard.value_or(whole);
  return Part{folder, shard, std::move(run)};
}

// Every shard once, all of one selection, made by one version of the program.
Status check_shards(const std::vector<Part>& parts) {
  const reports::ShardInfo& first = parts.front().shard;
  std::map<std::size_t, std::string> seen;
  const std::string version = version_text(parts.front().run.host);
  for (const Part& part : parts) {
    const reports::ShardInfo& shard = part.shard;
    if (const std::string other = version_text(part.run.host); other != version) {
      return invalid_argument(fmt::format("{} and {} were made by different versions: {} and {}", parts.front().folder,
                                          part.folder, version, other));
    }
    if (shard.count != first.count) {
      return invalid_argument(fmt::format("{} is shard {}/{}, {} is {}/{}: shards of different runs",
                                          parts.front().folder, first.index, first.count, part.folder, shard.index,
                                          shard.count));
    }
    if (shard.selection != first.selection || shard.total != first.total) {
      return invalid_argument(fmt::format("{} and {} are shards of different selections: {} and {} variants, {} and {}",
                                          parts.front().folder, part.folder, first.total, shard.total, first.selection,
                                          shard.selection));
    }
    if (const auto [other, added] = seen.try_emplace(shard.index, part.folder); !added) {
      return invalid_argument(
          fmt::format("{} and {} are both shard {}/{}", other->second, part.folder, shard.index, shard.count));
    }
  }
  constexpr std::size_t kNamed = 20;
  const std::size_t missing = first.count - std::min(first.count, seen.size());
  std::vector<std::size_t> named;
  for (std::size_t i = 1; named.size() < std::min(missing, kNamed); ++i) {
    if (!seen.contains(i)) {
      named.push_back(i);
    }
  }
  return missing == 0 ? Status()
                      : invalid_argument(fmt::format(
                            "shard{} {}{} of {} missing", missing == 1 ? "" : "s", fmt::join(named, ", "),
                            missing > kNamed ? fmt::format(" and {} more", missing - kNamed) : "", first.count));
}

// A file's path from the folder of its case: runners may have the same files in folders of different names.
std::string seen_from_case(const std::string& file, const std::string& case_file) {
  const std::filesystem::path path(file);
  const std::filesystem::path relative = path.lexically_relative(std::filesystem::path(case_file).parent_path());
  return relative.empty() ? path.lexically_normal().string() : relative.string();
}

// Every variant once, made of the same files wherever it was run.
Status check_results(const std::vector<Part>& parts) {
  std::map<std::string, const Part*> names;
  std::map<std::string, std::pair<std::string, const Part*>> digests;
  for (const Part& part : parts) {
    for (const reports::VariantResult& result : part.run.results) {
      if (const auto [other, added] = names.try_emplace(result.name, &part); !added) {
        return invalid_argument(fmt::format("{} is in {} and in {}", result.name, other->second->folder, part.folder));
      }
      for (const auto& [file, digest] : result.sources.items()) {
        const std::string text = reports::value_text(digest);
        const std::string key = result.case_name + "\n" + seen_from_case(file, result.case_file);
        const auto [known, added] = digests.try_emplace(key, text, &part);
        if (!added && known->second.first != text) {
          return invalid_argument(fmt::format("{} of case {} was not the same for {} and {}: {} and {}", file,
                                              result.case_name, known->second.second->folder, part.folder,
                                              known->second.first, text));
        }
      }
    }
  }
  const std::size_t total = parts.front().shard.total;
  return names.size() == total
             ? Status()
             : invalid_argument(fmt::format("the shards have {} variants, their run had {}", names.size(), total));
}

}  // namespace

Result<reports::RunRecord> merge_runs(const std::vector<std::string>& folders) {
  std::vector<Part> parts;
  for (const std::string& folder : folders) {
    ASSAY_ASSIGN(Part part, read_part(folder, folders.size() == 1));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) {
    return invalid_argument("no folder to merge");
  }
  ASSAY_TRY(check_shards(parts));
  ASSAY_TRY(check_results(parts));
  std::ranges::sort(parts, {}, [](const Part& part) { return part.shard.index; });
  reports::RunRecord merged;
  merged.host = parts.front().run.host;
  merged.command = parts.front().run.command;
  merged.started = parts.front().run.started;
  for (Part& part : parts) {
    reports::RunRecord& run = part.run;
    merged.started = std::min(merged.started, run.started);
    merged.duration_s = std::max(merged.duration_s, run.duration_s);
    merged.interrupted = merged.interrupted || run.interrupted;
    if (merged.harness_error.empty() && !run.harness_error.empty()) {
      merged.harness_error = fmt::format("shard {}: {}", part.shard.index, run.harness_error);
    }
    merged.merged_from.push_back({{"shard", part.shard.index},
                                  {"host", run.host},
                                  {"command", run.command},
                                  {"started", run.started},
                                  {"duration_s", run.duration_s}});
    for (std::size_t i = 0; i < run.results.size(); ++i) {
      run.results[i].shard = part.shard.index;
      merged.results.push_back(std::move(run.results[i]));
    }
  }
  return merged;
}

std::string different_builds(const reports::RunRecord& merged) {
  std::map<std::string, std::string> shards;  // by program
  for (const reports::Json& from : merged.merged_from) {
    std::string& list = shards[program_text(from.at("host"))];
    list += (list.empty() ? "" : ", ") + reports::value_text(from.at("shard"));
  }
  std::string text;
  for (const auto& [program, list] : shards) {
    text += fmt::format("{}{} (shard {})", text.empty() ? "" : "; ", program, list);
  }
  return shards.size() > 1 ? text : "";
}

}  // namespace assay::run
