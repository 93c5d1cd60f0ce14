// SPDX-License-Identifier: Apache-2.0
// Turns exceptions of libraries and of the allocator into errors, so that none leaves the engine.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "engine/base/result.h"

namespace assay::runtime {

// The value of `body` (a Result or Status), or kResource for refused memory, kInternal for any other exception.
template <typename Body>
auto guarded(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return resource_error("out of memory");
  } catch (const std::length_error& error) {  // a container asked to grow beyond what it can address
    return resource_error(std::string("out of memory: ") + error.what());
  } catch (const std::exception& error) {
    return internal_error(std::string("unexpected exception: ") + error.what());
  }
}

}  // namespace assay::runtime
