// setting_value.h - what the text of a setting means, with Redis' words when it means nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/config/setting_spec.h"

namespace mayfly::server {

struct SettingValue {
  std::string text;         // As CONFIG GET tells it.
  std::int64_t number = 0;  // Integers and memory; 1 for yes; the place among the choices.
};

// Invalid, with the reason, when the text is no value of the setting.
Result<SettingValue> ReadSetting(const SettingSpec& spec, Bytes text);

// "64kb", "1gb", "100"; nothing is left over. As Redis: k is 1000, kb 1024.
bool ReadMemory(Bytes text, std::int64_t& bytes);

// How much may wait for a client. 0: no bound.
struct OutputLimit {
  std::uint64_t hard_bytes = 0;
  std::uint64_t soft_bytes = 0;
  std::int64_t soft_seconds = 0;
};

enum class ClientClass : std::uint8_t { kNormal, kReplica, kPubSub };
inline constexpr std::size_t kClientClasses = 3;
using OutputLimits = std::array<OutputLimit, kClientClasses>;

// Classes that the text does not name keep the limits they have in `limits`.
Status ReadOutputLimits(Bytes text, OutputLimits& limits);
std::string ToText(const OutputLimits& limits);

}  // namespace mayfly::server
