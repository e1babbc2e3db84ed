// result.h - a value, or the Status that says why there is none.
// The members carry std::expected's names, so that the standard type can take over in C++23.
#pragma once

#include <cassert>
#include <type_traits>
#include <utility>
#include <variant>

#include "mayfly/status.h"

namespace mayfly {

template <typename T>
class Result;

// A type that a Result<T> accepts as its value: convertible to T, and no Result or Status itself.
template <typename U, typename T>
concept ValueFor =
    std::is_convertible_v<U&&, T> && !std::is_same_v<std::remove_cvref_t<U>, Result<T>> &&
    !std::is_same_v<std::remove_cvref_t<U>, Status>;

template <typename T>
class [[nodiscard]] Result {
  static_assert(!std::is_same_v<std::remove_cvref_t<T>, Status>, "return a Status instead");

 public:
  using value_type = T;
  using error_type = Status;

  // Both conversions are implicit so that `return value;` and `return Status::NotFound();` read
  // the same in a function that can fail.
  // NOLINTBEGIN(google-explicit-constructor, bugprone-forwarding-reference-overload)
  template <ValueFor<T> U = T>
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Status error) : state_(std::in_place_index<1>, std::move(error)) {
    assert(!std::get<1>(state_).ok() && "an ok Status is not a value");
  }
  // NOLINTEND(google-explicit-constructor, bugprone-forwarding-reference-overload)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *Checked(); }
  const T& value() const& { return *Checked(); }
  T&& value() && { return std::move(*Checked()); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return Checked(); }
  const T* operator->() const { return Checked(); }

  template <typename U>
  T value_or(U&& fallback) const& {
    return has_value() ? std::get<0>(state_) : static_cast<T>(std::forward<U>(fallback));
  }

  const Status& error() const& {
    assert(!has_value());
    return std::get<1>(state_);
  }
  Status&& error() && {
    assert(!has_value());
    return std::get<1>(std::move(state_));
  }

  // The Status either way: Ok when there is a value.
  Status status() const { return has_value() ? Status() : std::get<1>(state_); }

 private:
  T* Checked() {
    assert(has_value() && "value() of a Result that holds an error");
    return std::get_if<0>(&state_);
  }
  const T* Checked() const { return const_cast<Result*>(this)->Checked(); }

  std::variant<T, Status> state_;
};

}  // namespace mayfly

// MAYFLY_TRY(const std::string raw, Read(path)); declares the value, or leaves with the error.
#define MAYFLY_TRY(declaration, ...) \
  MAYFLY_TRY_INNER(MAYFLY_CONCAT(mayfly_result_, __COUNTER__), declaration, __VA_ARGS__)
#define MAYFLY_TRY_INNER(temporary, declaration, ...) \
  auto temporary = (__VA_ARGS__);                     \
  if (!temporary.has_value()) {                       \
    return std::move(temporary).error();              \
  }                                                   \
  declaration = *std::move(temporary)
