// callbacks.h - a Clock and a Logger that call the caller's functions.
#pragma once

#include "mayfly/c.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"

namespace mayfly::capi {

class CallbackClock final : public Clock {
 public:
  explicit CallbackClock(const mayfly_clock& functions) : functions_(functions) {}

  WallTime Now() const override { return WallTimeFromMs(functions_.now_ms(functions_.context)); }
  SteadyTime Steady() const override;
  SteadyTime Passed() const override;

  // Polls: the caller's clock gives no notice when it moves.
  void Sleep(Waker& waker, WallTime until) const override;

 private:
  const mayfly_clock functions_;  // The context is the caller's.
};

class CallbackLogger final : public Logger {
 public:
  CallbackLogger(mayfly_log_function function, void* context, int level)
      : function_(function), context_(context), level_(level) {}

  bool Wants(LogLevel level) const override { return static_cast<int>(level) >= level_; }
  void Write(LogLevel level, std::string_view line) override;

 private:
  const mayfly_log_function function_;
  void* const context_;  // The caller's.
  const int level_;
};

}  // namespace mayfly::capi
