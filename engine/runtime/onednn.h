// SPDX-License-Identifier: Apache-2.0
// What the operators that compute with oneDNN share. Included by their .cpp files only.
#pragma once

#include <array>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/ir/tensor.h"
#include "engine/runtime/record.h"

namespace assay::runtime::onednn {

// One CPU engine for the process.
const dnnl::engine& engine();

// A row-major float32 tensor of `dims`.
dnnl::memory::desc dense(const IndexList& dims);
// The same with strides of its own.
dnnl::memory::desc strided(const IndexList& dims, const IndexList& strides);
// float32 of `dims` in whatever layout the primitive likes.
dnnl::memory::desc any_layout(const IndexList& dims);

// A memory object on floats that it does not own. oneDNN takes all pointers as writable; sources are only read.
dnnl::memory wrap(const dnnl::memory::desc& desc, const float* data);
// The same for many runs: without floats at first, then on those of each run.
dnnl::memory unbound(const dnnl::memory::desc& desc);
void bind(dnnl::memory& memory, const float* data);

// Attributes with which a primitive takes the memory for its intermediate results from its caller. Left to oneDNN, that
// memory belongs to the thread that made the primitive, and no other thread may run it.
dnnl::primitive_attr own_scratchpad();

// What a primitive is run with: memory by DNNL_ARG_... number. oneDNN's own map would take memory in every run.
class Arguments {
 public:
  void set(int number, const dnnl::memory& memory);
  // One that was set.
  dnnl::memory& at(int number);
  void execute(const dnnl::primitive& primitive, const dnnl::stream& stream) const;

 private:
  struct Argument {
    int number = 0;
    dnnl::memory memory;
  };
  std::array<Argument, 8> arguments_;
  std::size_t count_ = 0;
};

// Memory for a primitive with own_scratchpad().
class Scratchpad {
 public:
  Scratchpad() = default;
  explicit Scratchpad(const dnnl::memory::desc& desc);
  // On memory that is the calling thread's; good until it asks for more.
  const dnnl::memory& bound();

 private:
  Index size_bytes_ = 0;
  dnnl::memory memory_;
};

// The record of a float32 primitive: its implementation and the instruction set that its name or oneDNN's own
// detection states.
KernelInfo kernel_info(const std::string& implementation);

// Before the first run nothing is chosen.
KernelInfo undecided_kernel_info();

// A failed call as an error: kResource for refused memory, else kInternal with oneDNN's words.
Error to_error(const dnnl::error& error);

// The value of `body` (a Result or Status), or the error of a oneDNN call that threw.
template <typename Body>
auto call(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const dnnl::error& error) {
    return to_error(error);
  }
}

// An operand that may have to change its layout before or after a primitive, with the memory in between.
class LayoutChange {
 public:
  // Before a primitive: what it reads is in the layout `wanted`.
  static LayoutChange before(const dnnl::memory::desc& at_hand, const dnnl::memory::desc& wanted);
  // After a primitive, which writes in the layout `made`.
  static LayoutChange after(const dnnl::memory::desc& made, const dnnl::memory::desc& wanted);

  // before(): `source` in the wanted layout; itself where nothing changes.
  dnnl::memory convert(dnnl::stream& stream, const dnnl::memory& source);
  // after(): where the primitive writes.
  dnnl::memory target(const dnnl::memory& destination) const { return reorder_ ? buffer_ : destination; }
  // after(): moves what was written to its destination.
  void finish(dnnl::stream& stream, const dnnl::memory& destination);

 private:
  LayoutChange(const dnnl::memory::desc& from, const dnnl::memory::desc& to, const dnnl::memory::desc& buffer);

  void execute(dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to);

  std::optional<dnnl::reorder> reorder_;  // none: nothing changes
  Arguments arguments_;
  Scratchpad scratchpad_;
  dnnl::memory buffer_;
};

}  // namespace assay::runtime::onednn
