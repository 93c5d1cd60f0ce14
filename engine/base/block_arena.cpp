// SPDX-License-Identifier: Apache-2.0
#include "engine/base/block_arena.h"

#include <utility>

#include "engine/base/arena_memory.h"

namespace assay {
namespace {

constexpr int kMaxRecordings = 4;
constexpr std::int64_t kOpen = -1;

thread_local BlockArena* current_arena = nullptr;

}  // namespace

void BlockArena::begin_pass() {
  if (mode_ == Mode::kReplaying && departed_) {
    mode_ = recordings_ < kMaxRecordings ? Mode::kRecording : Mode::kOff;
    memory_.reset();
    events_.clear();
  }
  next_ = 0;
  missed_ = 0;
  departed_ = false;
  if (mode_ == Mode::kReplaying && memory_ == nullptr && sizes_.arena_bytes > 0) {
    memory_ = ArenaMemory::make(sizes_.arena_bytes);
    mode_ = memory_ == nullptr ? Mode::kOff : mode_;
  }
}

void BlockArena::end_pass() {
  if (mode_ == Mode::kRecording) {
    lay_out_events();
  } else if (mode_ == Mode::kReplaying) {
    departed_ = departed_ || next_ != events_.size();
    ++replays_;
  }
}

void BlockArena::lay_out_events() {
  ++recordings_;
  replays_ = 0;
  sizes_ = {};
  open_.clear();
  if (next_ > kMaxBlocks) {
    events_.clear();
    mode_ = Mode::kOff;
    return;
  }
  std::vector<BlockLife> lives;
  for (Event& event : events_) {
    event.has_place = event.life.end != kOpen;
    if (event.has_place) {
      lives.push_back(event.life);
    }
    (event.has_place ? sizes_.sum_bytes : sizes_.outside_bytes) += event.life.size_bytes;
  }
  const BlockLayout layout = lay_out(lives);
  std::size_t position = 0;
  for (Event& event : events_) {
    event.offset = event.has_place ? layout.offsets[position++] : 0;
  }
  sizes_.arena_bytes = layout.size_bytes;
  sizes_.peak_bytes = peak_bytes(lives);
  mode_ = Mode::kReplaying;
}

std::byte* BlockArena::take(std::size_t size_bytes) {
  const std::size_t index = next_++;
  if (mode_ == Mode::kRecording && index < kMaxBlocks) {
    events_.push_back({.life = {.size_bytes = size_bytes, .begin = clock_++, .end = kOpen}});
  }
  if (mode_ != Mode::kReplaying || departed_) {
    return nullptr;
  }
  if (index >= events_.size() || events_[index].life.size_bytes != size_bytes) {
    departed_ = true;
    return nullptr;
  }
  const Event& event = events_[index];
  std::byte* place = event.has_place ? memory_->hold(event.offset, size_bytes) : nullptr;
  missed_ += event.has_place && place == nullptr ? 1 : 0;
  return place;
}

void BlockArena::taken(const std::byte* block) {
  if (mode_ == Mode::kRecording && next_ <= kMaxBlocks) {
    open_[block] = next_ - 1;
  }
}

void BlockArena::given_back(const std::byte* block) {
  if (mode_ != Mode::kRecording) {
    return;
  }
  if (const auto found = open_.find(block); found != open_.end()) {
    events_[found->second].life.end = clock_++;
    open_.erase(found);
  }
}

BlockArenaPass::BlockArenaPass(BlockArena& arena) : outer_(std::exchange(current_arena, &arena)) { arena.begin_pass(); }

BlockArenaPass::~BlockArenaPass() { std::exchange(current_arena, outer_)->end_pass(); }

OutsideBlockArena::OutsideBlockArena() : outer_(std::exchange(current_arena, nullptr)) {}

OutsideBlockArena::~OutsideBlockArena() { current_arena = outer_; }

BlockArena* BlockArenaPass::current() { return current_arena; }

}  // namespace assay
