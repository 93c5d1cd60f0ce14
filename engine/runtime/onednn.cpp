// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/onednn.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/cpu_features.h"
#include "engine/base/profile.h"
#include "engine/runtime/scratch.h"

namespace assay::runtime::onednn {
namespace {

struct IsaWord {
  std::string_view word;
  Isa isa;
};

// As they stand in names like "jit:avx512_core" or "brgconv:avx2"; the longer word first.
constexpr std::array kIsaWords = {IsaWord{"avx512", Isa::kAvx512}, IsaWord{"avx2", Isa::kAvx2},
                                  IsaWord{"sse41", Isa::kSse41}, IsaWord{"ref", Isa::kScalar}};

// What oneDNN's code generators use here, for implementations whose names do not say ("gemm:jit").
Isa detected_isa() {
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto has = [isa](dnnl::cpu_isa level) {
    const auto bits = static_cast<unsigned>(level);
    return (isa & bits) == bits;
  };
  if (has(dnnl::cpu_isa::avx512_core)) {
    return Isa::kAvx512;
  }
  if (has(dnnl::cpu_isa::avx2)) {
    return Isa::kAvx2;
  }
  return has(dnnl::cpu_isa::sse41) ? Isa::kSse41 : Isa::kScalar;
}

Isa isa_of(const std::string& implementation) {
  for (const IsaWord& row : kIsaWords) {
    if (implementation.find(row.word) != std::string::npos) {
      return row.isa;
    }
  }
  return detected_isa();
}

// oneDNN takes one limit per process, before its first use: that of the host as this process sees it.
dnnl::cpu_isa highest_isa(const CpuFeatures& features) {
  if (can_run(features, Isa::kAvx512Vnni)) {
    return dnnl::cpu_isa::all;
  }
  if (can_run(features, Isa::kAvx512)) {
    return dnnl::cpu_isa::avx512_core;
  }
  if (can_run(features, Isa::kAvxVnni)) {
    return dnnl::cpu_isa::avx2_vnni;
  }
  return can_run(features, Isa::kAvx2) ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::sse41;
}

dnnl::memory::dims dims_of(const IndexList& list) { return {list.begin(), list.end()}; }

dnnl::engine make_engine() {
  dnnl::set_max_cpu_isa(highest_isa(host_features()));
  return {dnnl::engine::kind::cpu, 0};
}

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine kEngine = make_engine();
  return kEngine;
}

dnnl::memory::desc dense(const IndexList& dims) {
  IndexList strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * dims[i];
  }
  return strided(dims, strides);
}

dnnl::memory::desc strided(const IndexList& dims, const IndexList& strides) {
  return {dims_of(dims), dnnl::memory::data_type::f32, dims_of(strides)};
}

dnnl::memory::desc any_layout(const IndexList& dims) {
  return {dims_of(dims), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

dnnl::memory wrap(const dnnl::memory::desc& desc, const float* data) {
  return {desc, engine(), const_cast<float*>(data)};  // NOLINT(cppcoreguidelines-pro-type-const-cast): see the header
}

dnnl::memory unbound(const dnnl::memory::desc& desc) { return {desc, engine(), DNNL_MEMORY_NONE}; }

void bind(dnnl::memory& memory, const float* data) {
  memory.set_data_handle(const_cast<float*>(data));  // NOLINT(cppcoreguidelines-pro-type-const-cast): see the header
}

dnnl::primitive_attr own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

void Arguments::set(int number, const dnnl::memory& memory) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (arguments_[i].number == number) {
      arguments_[i].memory = memory;
      return;
    }
  }
  arguments_.at(count_++) = {.number = number, .memory = memory};
}

dnnl::memory& Arguments::at(int number) {
  const auto found = std::find_if(arguments_.begin(), arguments_.begin() + count_,
                                  [number](const Argument& argument) { return argument.number == number; });
  return found->memory;
}

void Arguments::execute(const dnnl::primitive& primitive, const dnnl::stream& stream) const {
  std::array<dnnl_exec_arg_t, std::tuple_size_v<decltype(arguments_)>> list;
  for (std::size_t i = 0; i < count_; ++i) {
    list[i] = {.arg = arguments_[i].number, .memory = arguments_[i].memory.get(true)};
  }
  dnnl::error::wrap_c_api(dnnl_primitive_execute(primitive.get(), stream.get(), static_cast<int>(count_), list.data()),
                          "could not execute a primitive");
}

Scratchpad::Scratchpad(const dnnl::memory::desc& desc)
    : size_bytes_(static_cast<Index>(desc.get_size())), memory_(desc, engine(), DNNL_MEMORY_NONE) {}

const dnnl::memory& Scratchpad::bound() {
  thread_local ScratchBuffer buffer;
  if (size_bytes_ > 0) {
    if (!buffer.reserve(size_bytes_).ok()) {
      throw std::bad_alloc();
    }
    memory_.set_data_handle(buffer.as<std::byte>());
  }
  return memory_;
}

KernelInfo kernel_info(const std::string& implementation) {
  KernelInfo info;
  info.kernel = "onednn:" + implementation;
  info.isa = isa_name(isa_of(implementation));
  info.arithmetic = "float32";
  return info;
}

KernelInfo undecided_kernel_info() {
  KernelInfo info;
  info.kernel = "onednn";
  info.isa = isa_name(detected_isa());
  info.arithmetic = "float32";
  return info;
}

Error to_error(const dnnl::error& error) {
  if (error.status == dnnl_out_of_memory) {
    return resource_error("oneDNN was refused memory");
  }
  return internal_error(std::string("oneDNN: ") + error.what());
}

LayoutChange::LayoutChange(const dnnl::memory::desc& from, const dnnl::memory::desc& to,
                           const dnnl::memory::desc& buffer) {
  if (from != to) {
    const dnnl::reorder::primitive_desc chosen(engine(), from, engine(), to, own_scratchpad());
    reorder_ = dnnl::reorder(chosen);
    scratchpad_ = Scratchpad(chosen.scratchpad_desc());
    buffer_ = dnnl::memory(buffer, engine());
  }
}

LayoutChange LayoutChange::before(const dnnl::memory::desc& at_hand, const dnnl::memory::desc& wanted) {
  return {at_hand, wanted, wanted};
}

LayoutChange LayoutChange::after(const dnnl::memory::desc& made, const dnnl::memory::desc& wanted) {
  return {made, wanted, made};
}

void LayoutChange::execute(dnnl::stream& stream, const dnnl::memory& from, const dnnl::memory& to) {
  arguments_.set(DNNL_ARG_FROM, from);
  arguments_.set(DNNL_ARG_TO, to);
  arguments_.set(DNNL_ARG_SCRATCHPAD, scratchpad_.bound());
  arguments_.execute(*reorder_, stream);
}

dnnl::memory LayoutChange::convert(dnnl::stream& stream, const dnnl::memory& source) {
  if (!reorder_) {
    return source;
  }
  execute(stream, source, buffer_);
  return buffer_;
}

void LayoutChange::finish(dnnl::stream& stream, const dnnl::memory& destination) {
  if (reorder_) {
    execute(stream, buffer_, destination);
  }
}

}  // namespace assay::runtime::onednn
