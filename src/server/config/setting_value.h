// setting_value.h - parses the text of a setting, with Redis' errors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/config/setting_spec.h"

namespace mayfly::server {

struct SettingValue {
  std::string text;  // As CONFIG GET shows it.
  // Integers and memory; 1 for yes; the position among the choices; for a part of memory, its
  // percents below zero; for output limits, another number for another text.
  std::int64_t number = 0;
};

// Invalid, with the reason, when the text is no value of the setting. `current` is the present
// value; a text that names a part of it keeps the rest. Empty: the default.
Result<SettingValue> ReadSetting(const SettingSpec& spec, Bytes text, Bytes current = {});

// "64kb", "1gb", "100"; false if anything is left over. As Redis: k is 1000, kb 1024.
bool ReadMemory(Bytes text, std::int64_t& bytes);

// "50 99 99.9"; nothing when a word is no number, or none from 0 to 100.
Result<std::vector<double>> ReadPercentiles(Bytes text);

// How many bytes may wait for a client. 0: no bound.
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
