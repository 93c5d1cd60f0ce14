// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/tap.h"

namespace assay::runtime {
namespace {

thread_local const Tap* tap_of_this_thread = nullptr;

}  // namespace

const Tap* current_tap() { return tap_of_this_thread; }

TapScope::TapScope(const Tap* tap) : outer_(tap_of_this_thread) { tap_of_this_thread = tap; }

TapScope::~TapScope() { tap_of_this_thread = outer_; }

}  // namespace assay::runtime
