// function_ref.h - a borrowed callable, for parameters: no copy, no allocation.
// Must not outlive the call it is passed to.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace mayfly {

template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  // Implicit, so that a lambda can be passed as it is.
  // NOLINTBEGIN(google-explicit-constructor, bugprone-forwarding-reference-overload)
  template <typename Callable>
  requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
           std::is_invocable_r_v<R, Callable&, Args...>) FunctionRef(Callable&& callable)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::add_pointer_t<std::remove_reference_t<Callable>>>(object))(
              std::forward<Args>(args)...);
        }) {}
  // NOLINTEND(google-explicit-constructor, bugprone-forwarding-reference-overload)

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace mayfly
