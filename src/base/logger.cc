#include "mayfly/logger.h"

namespace mayfly {
namespace {

class Silence final : public Logger {
 public:
  bool Wants(LogLevel) const override { return false; }
  void Write(LogLevel, std::string_view) override {}
};

}  // namespace

Logger& SilentLogger() {
  static Silence silence;  // Holds no state.
  return silence;
}

}  // namespace mayfly
