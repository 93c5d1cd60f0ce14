// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/digest.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/base/fnv.h"

namespace assay {
namespace {

class Fnv {
 public:
  void word(std::uint64_t value) {
    hash_ = (hash_ ^ value) * kFnvPrime;
    hash_ ^= hash_ >> 32U;  // or the high bits of a word would never reach the low ones of the hash
  }
  void number(Index value) { word(static_cast<std::uint64_t>(value)); }
  // The length first: "ab", "c" is not "a", "bc".
  void bytes(const void* data, std::size_t size) {
    word(size);
    const auto* at = static_cast<const std::byte*>(data);
    for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t), at += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      std::memcpy(&value, at, sizeof(value));
      word(value);
    }
    std::uint64_t rest = 0;
    if (size > 0) {
      std::memcpy(&rest, at, size);
      word(rest);
    }
  }
  void text(std::string_view value) { bytes(value.data(), value.size()); }
  void tensor(const Tensor& value) {
    number(static_cast<Index>(value.dtype()));
    number(static_cast<Index>(value.rank()));
    for (const Index size : value.shape()) {
      number(size);
    }
    bytes(value.bytes(), value.size_bytes());
  }

  void add(Index value) { number(value); }
  void add(float value) { bytes(&value, sizeof(value)); }
  void add(const std::string& value) { text(value); }
  void add(const Tensor& value) { tensor(value); }
  void add(const GraphPtr& value) { graph(*value); }
  template <typename T>
  void add(const std::vector<T>& values) {
    word(values.size());
    for (const T& value : values) {
      add(value);
    }
  }
  void attribute(const Attribute& value) {
    word(value.index());
    std::visit([this](const auto& held) { add(held); }, value);
  }
  void graph(const Graph& value) {
    for (const auto& [domain, version] : value.opsets) {
      text(domain);
      number(version);
    }
    for (const std::vector<ValueInfo>* list : {&value.inputs, &value.outputs}) {
      word(list->size());
      for (const ValueInfo& info : *list) {
        value_info(info);
      }
    }
    for (const Node& node : value.nodes) {
      text(node.name);
      text(node.op_type);
      text(node.domain);
      add(node.inputs);
      add(node.outputs);
      for (const auto& [name, held] : node.attributes) {
        text(name);
        attribute(held);
      }
    }
    for (const auto& [name, held] : value.initializers) {
      text(name);
      tensor(held);
    }
  }
  void value_info(const ValueInfo& info) {
    text(info.name);
    number(static_cast<Index>(info.dtype));
    word(info.dims.size());
    for (const Dim& dim : info.dims) {
      number(dim.size);
      text(dim.name);
    }
  }

  std::string hex() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string digits;
    for (unsigned shift = 64; shift > 0;) {
      shift -= 4;
      digits += kDigits[(hash_ >> shift) & 15U];
    }
    return digits;
  }

 private:
  std::uint64_t hash_ = kFnvStart;
};

}  // namespace

std::string graph_digest(const Graph& graph) {
  Fnv hash;
  hash.graph(graph);
  return hash.hex();
}

}  // namespace assay
