// SPDX-License-Identifier: Apache-2.0
// Errors as values. A function that can fail returns Status (nothing to give back) or Result<T>.
// A message names the thing, the rule and the value found, so that it can be shown to a person as it is.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace assay {

// What went wrong, coarse enough to choose an exit code by.
enum class ErrorKind {
  kInvalidArgument,  // the caller's options or data
  kInvalidModel,     // the model breaks the ONNX rules
  kUnsupported,      // legal, but not something this build can do
  kIo,               // a file could not be read or written
  kResource,         // memory that the host does not have; limits of our own are kUnsupported
  kInternal,         // an invariant of assay itself broke
};

struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  std::string message;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor): return Error{...}
  bool ok() const { return std::holds_alternative<std::monostate>(state_); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<std::monostate, Error> state_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return state_.index() == 0; }
  // The value; only after ok().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  // The error; only after !ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

inline Error invalid_argument(std::string message) { return {ErrorKind::kInvalidArgument, std::move(message)}; }
inline Error invalid_model(std::string message) { return {ErrorKind::kInvalidModel, std::move(message)}; }
inline Error unsupported(std::string message) { return {ErrorKind::kUnsupported, std::move(message)}; }
inline Error io_error(std::string message) { return {ErrorKind::kIo, std::move(message)}; }
inline Error resource_error(std::string message) { return {ErrorKind::kResource, std::move(message)}; }
inline Error internal_error(std::string message) { return {ErrorKind::kInternal, std::move(message)}; }

}  // namespace assay

#define ASSAY_CONCAT_INNER(a, b) a##b
#define ASSAY_CONCAT(a, b) ASSAY_CONCAT_INNER(a, b)

// Leaves the function with the error of `expression` (a Status or Result) if it failed.
#define ASSAY_TRY(expression)                                   \
  do {                                                          \
    if (auto assay_status = (expression); !assay_status.ok()) { \
      return assay_status.error();                              \
    }                                                           \
  } while (false)

// ASSAY_ASSIGN(auto x, f()): leaves with f's error, else binds its value.
#define ASSAY_ASSIGN(declaration, expression) \
  ASSAY_ASSIGN_IMPL(ASSAY_CONCAT(assay_result_, __LINE__), declaration, expression)
#define ASSAY_ASSIGN_IMPL(result, declaration, expression) \
  auto result = (expression);                              \
  if (!result.ok()) {                                      \
    return result.error();                                 \
  }                                                        \
  declaration = std::move(result).value()
