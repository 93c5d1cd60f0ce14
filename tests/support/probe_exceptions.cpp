// SPDX-License-Identifier: Apache-2.0
#include "tests/support/probe_exceptions.h"

#include <array>
#include <string_view>

namespace assay::test {
namespace {

constexpr const char* kThreeSpatialDimensions = "convolution over three spatial dimensions is not in this build";
constexpr const char* kFloatSums = "float sums between Q and DQ depend on their order, which is the library's";

constexpr const char* kClampInIntegers =
    "the peer leaves a Clip that the quantized range does not do, and with it the convolution, in float; here the "
    "clamp "
    "is part of the requantization, and the integer convolution saturates";

constexpr std::array kExceptions = {
    ProbeException{"dynamicquantizelinear/nan-lane", "any", "any", Expectation::kDiffers,
                   "the peer's vector minimum and maximum lose earlier extremes of a lane to a NaN"},
    ProbeException{"qlinearconv/u8s8-3d-*", "any", "any", Expectation::kRefused, kThreeSpatialDimensions},
    ProbeException{"qlinearconv/s8s8-3d-*", "any", "any", Expectation::kRefused, kThreeSpatialDimensions},
    ProbeException{"qlinearconv/s8u8-dw3x3", "any", "any", Expectation::kComputed, "the peer has no s8 x u8 kernel"},
    ProbeException{"qlinearmatmul/s8u8-m3k7n5", "any", "any", Expectation::kComputed, "the peer has no s8 x u8 kernel"},
    ProbeException{"qlinearmatmul/u8s8-perrow", "any", "any", Expectation::kComputed,
                   "the peer lacks parameters per row"},
    ProbeException{"matmulinteger/u8s8-azrow", "any", "any", Expectation::kComputed,
                   "the peer lacks parameters per row"},
    ProbeException{"convinteger/u8u8-wzcol", "any", "any", Expectation::kComputed,
                   "the peer lacks weight zero points per channel"},
    ProbeException{"qdq/avgpool-s8", "any", "disabled,basic", Expectation::kWithinOneStep, kFloatSums},
    ProbeException{"qdq/matmul-u8u8-floatout", "any", "disabled,basic", Expectation::kWithinOneStep, kFloatSums},
    ProbeException{"qdq/matmul-u8u8-floatout", "any", "extended,all", Expectation::kWithinOneStep,
                   "the peer fuses to MatMulIntegerToFloat; here a MatMul with a float result stays float"},
    ProbeException{"qdq/convclip-u8s8-sym", "avx2,avx512", "extended,all,all-x64q", Expectation::kDiffers,
                   kClampInIntegers},
    ProbeException{"qdq/convclip-s8s8-sym", "avx2,avx512", "extended,all,all-x64q,all-qdqint8", Expectation::kDiffers,
                   kClampInIntegers},
    ProbeException{"qdq/avgpool-s8", "vnni,avx_vnni,sse41", "extended,all", Expectation::kWithinOneStep,
                   "the peer makes s8 activations u8 at every tier, here only where u8 x s8 saturates; adding the "
                   "larger zero point rounds otherwise"},
};

bool matches_probe(std::string_view pattern, std::string_view path) {
  if (pattern.ends_with('*')) {
    return path.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return path == pattern;
}

bool matches_list(std::string_view list, std::string_view name) {
  if (list == "any") {
    return true;
  }
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == name) {
      return true;
    }
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return false;
}

}  // namespace

std::span<const ProbeException> probe_exceptions() { return kExceptions; }

const ProbeException* find_exception(const Probe& probe, const ProbeResult& result) {
  for (const ProbeException& row : kExceptions) {
    if (matches_probe(row.probe, probe.path()) && matches_list(row.tiers, result.tier) &&
        matches_list(row.variants, result.variant)) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace assay::test
