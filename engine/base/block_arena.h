// SPDX-License-Identifier: Apache-2.0
// One piece of memory for all the blocks of a sequence that repeats, such as the runs of one network on inputs of one
// shape.
//
// A recorded pass notes when each block is taken and given back. Every block that came back within its pass then gets a
// place (block_layout.h). A later pass that takes the same sizes in the same order gets these places. A block that is
// not as recorded, or whose place is still held by an earlier one, comes from the pool instead: a layout never changes
// what is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/base/block_layout.h"

namespace assay {

// Memory handed out in places. Blocks may outlive whoever laid it out: it is freed with the last of them.
class ArenaMemory;

// One thread runs its passes.
class BlockArena {
 public:
  // Longer sequences are not laid out: the layout's cost grows with the square of their length.
  static constexpr std::size_t kMaxBlocks = 8192;

  struct Sizes {
    std::size_t arena_bytes = 0;    // of the layout
    std::size_t peak_bytes = 0;     // most that live at once among the blocks laid out: no layout can be smaller
    std::size_t sum_bytes = 0;      // of all blocks laid out: what they would need without reuse
    std::size_t outside_bytes = 0;  // of the blocks that outlived their pass, such as results
  };

  void begin_pass();
  // Lays out what was recorded. A pass that departed from its layout is followed by another recorded one, three times
  // at most: then everything comes from the pool.
  void end_pass();

  // During a pass: a place for the next block, or null where it must come from the pool, which then is told to taken().
  std::byte* take(std::size_t size_bytes);
  void taken(const std::byte* block);
  void given_back(const std::byte* block);

  // Of the newest layout; zeros before the first recorded pass has ended.
  Sizes sizes() const { return sizes_; }
  // Whether the last pass got every block that has a place from there.
  bool is_steady() const { return mode_ == Mode::kReplaying && replays_ > 0 && !departed_ && missed_ == 0; }

 private:
  struct Event {
    BlockLife life;
    std::size_t offset = 0;
    bool has_place = false;  // came back within its pass
  };
  enum class Mode { kRecording, kReplaying, kOff };

  void lay_out_events();

  Mode mode_ = Mode::kRecording;
  std::vector<Event> events_;
  std::unordered_map<const std::byte*, std::size_t> open_;  // while recording: events not given back
  std::size_t next_ = 0;                                    // event that the pass comes to
  std::int64_t clock_ = 0;
  int recordings_ = 0;
  int replays_ = 0;         // of the newest layout
  std::size_t missed_ = 0;  // places that the pass found held
  bool departed_ = false;   // the pass differs from the recorded one
  Sizes sizes_;
  std::shared_ptr<ArenaMemory> memory_;
};

// A pass: blocks that this thread takes while it lives come through the arena. Scopes nest; the innermost counts.
class BlockArenaPass {
 public:
  explicit BlockArenaPass(BlockArena& arena);
  ~BlockArenaPass();
  BlockArenaPass(const BlockArenaPass&) = delete;
  BlockArenaPass& operator=(const BlockArenaPass&) = delete;

  // The arena of this thread's innermost pass, or null.
  static BlockArena* current();

 private:
  BlockArena* outer_;
};

// Blocks that this thread takes while it lives stay beyond the pass and are no part of what repeats: they come from the
// pool, and no arena hears of them.
class OutsideBlockArena {
 public:
  OutsideBlockArena();
  ~OutsideBlockArena();
  OutsideBlockArena(const OutsideBlockArena&) = delete;
  OutsideBlockArena& operator=(const OutsideBlockArena&) = delete;

 private:
  BlockArena* outer_;
};

}  // namespace assay
