// SPDX-License-Identifier: Apache-2.0
// How our libraries report faults: a value or an Error, never an exception across a library's border and
// never a message on stderr. An Error's text is one line, ready to print: it names the file, the line or
// record, what was found and what was expected.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace vef {

enum class ErrorKind {
  kInput,   // the input is at fault (damaged file, inconsistent trace, mistyped key)
  kSystem,  // the operating system refused (no such file, disk full, ...)
  kUsage,   // the caller asked for something that does not exist
};

struct Error {
  ErrorKind kind = ErrorKind::kInput;
  std::string message;
};

/// "FILE:LINE: message"; LINE is left out where it is 0.
Error input_error(const std::string& file, unsigned long long line, const std::string& message);
/// "FILE: what: strerror(errno_value)".
Error system_error(const std::string& file, const std::string& what, int errno_value);
Error usage_error(const std::string& message);

/// A value or an Error. `[[nodiscard]]`: a fault cannot be dropped by accident.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(error_);
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace vef
