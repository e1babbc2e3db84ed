#include "server/config/setting_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <limits>

#include "server/command/arguments.h"
#include "server/command/notify_classes.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

std::vector<Bytes> Split(Bytes text, char separator) {
  std::vector<Bytes> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0 || separator == '|') parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

Status Between(const SettingSpec& spec, std::int64_t number) {
  if (number >= spec.min && number <= spec.max) return {};
  return Status::Invalid(
      fmt::format("argument must be between {} and {} inclusive", spec.min, spec.max));
}

Result<SettingValue> ReadChoice(const SettingSpec& spec, Bytes text) {
  const std::vector<Bytes> choices = Split(spec.choices, '|');
  std::string all;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (IsWord(text, choices[i])) {
      return SettingValue{std::string(choices[i]), static_cast<std::int64_t>(i)};
    }
    all += fmt::format("{}{}", i == 0 ? "" : ", ", choices[i]);
  }
  return Status::Invalid(fmt::format("argument(s) must be one of the following: {}", all));
}

Result<SettingValue> ReadNumber(const SettingSpec& spec, Bytes text) {
  std::int64_t number = 0;
  if (!ReadInteger(text, number)) {
    return Status::Invalid("argument couldn't be parsed into an integer");
  }
  MAYFLY_RETURN_IF_ERROR(Between(spec, number));
  return SettingValue{std::to_string(number), number};
}

Result<SettingValue> ReadPermissions(const SettingSpec& spec, Bytes text) {
  std::int64_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '7' || number > spec.max) {
      return Status::Invalid("argument couldn't be parsed into an integer");
    }
    number = number * 8 + (digit - '0');
  }
  if (text.empty()) return Status::Invalid("argument couldn't be parsed into an integer");
  MAYFLY_RETURN_IF_ERROR(Between(spec, number));
  return SettingValue{fmt::format("{:o}", number), number};
}

Result<SettingValue> ReadBytes(const SettingSpec& spec, Bytes text) {
  std::int64_t bytes = 0;
  if (!ReadMemory(text, bytes)) return Status::Invalid("argument must be a memory value");
  MAYFLY_RETURN_IF_ERROR(Between(spec, bytes));
  return SettingValue{std::to_string(bytes), bytes};
}

Result<SettingValue> ReadMemoryOrPercent(const SettingSpec& spec, Bytes text) {
  if (!text.ends_with('%')) return ReadBytes(spec, text);
  constexpr std::int64_t kPercentMax = 100;
  std::int64_t percent = 0;
  if (!ReadInteger(text.substr(0, text.size() - 1), percent) || percent < 0) {
    return Status::Invalid("argument must be a memory or percent value");
  }
  if (percent > kPercentMax) {
    return Status::Invalid("percentage argument must be less or equal to 100");
  }
  return SettingValue{fmt::format("{}%", percent), -percent};
}

}  // namespace

bool ReadMemory(Bytes text, std::int64_t& bytes) {
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  std::int64_t number = 0;
  if (!ReadInteger(text.substr(0, digits), number)) return false;
  struct Unit {
    std::string_view name;
    std::int64_t bytes;
  };
  // clang-format off
  constexpr Unit kUnits[] = {
      {"",   1},
      {"b",  1},
      {"k",  1000},
      {"kb", 1024},
      {"m",  1'000'000},
      {"mb", 1 << 20},
      {"g",  1'000'000'000},
      {"gb", 1 << 30},
  };
  // clang-format on
  for (const Unit& unit : kUnits) {
    if (!IsWord(text.substr(digits), unit.name)) continue;
    if (number > std::numeric_limits<std::int64_t>::max() / unit.bytes) return false;
    bytes = number * unit.bytes;
    return true;
  }
  return false;
}

Result<SettingValue> ReadSetting(const SettingSpec& spec, Bytes text, Bytes current) {
  switch (spec.kind) {
    case SettingKind::kInteger: return ReadNumber(spec, text);
    case SettingKind::kMemory: return ReadBytes(spec, text);
    case SettingKind::kMemoryOrPercent: return ReadMemoryOrPercent(spec, text);
    case SettingKind::kBoolean:
      if (IsWord(text, "yes")) return SettingValue{"yes", 1};
      if (IsWord(text, "no")) return SettingValue{"no", 0};
      return Status::Invalid("argument must be 'yes' or 'no'");
    case SettingKind::kChoice: return ReadChoice(spec, text);
    case SettingKind::kOctal: return ReadPermissions(spec, text);
    case SettingKind::kNotify: {
      const auto classes = NotifyClasses::Parse(text);
      if (!classes) return Status::Invalid("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
      return SettingValue{classes->ToString(), classes->bits()};
    }
    case SettingKind::kOutputLimits: {
      OutputLimits limits;
      MAYFLY_RETURN_IF_ERROR(ReadOutputLimits(current.empty() ? spec.initial : current, limits));
      MAYFLY_RETURN_IF_ERROR(ReadOutputLimits(text, limits));
      const std::string whole = ToText(limits);
      return SettingValue{whole, static_cast<std::int64_t>(std::hash<std::string>()(whole))};
    }
    case SettingKind::kPercentiles: {
      MAYFLY_TRY(const std::vector<double> percentiles, ReadPercentiles(text));
      return SettingValue{fmt::format("{}", fmt::join(percentiles, " ")), 0};
    }
    case SettingKind::kText: break;
  }
  return SettingValue{std::string(text), 0};
}

Result<std::vector<double>> ReadPercentiles(Bytes text) {
  std::vector<double> percentiles;
  for (const Bytes word : Split(text, ' ')) {
    double percent = 0;
    if (!ReadDouble(word, percent)) {
      return Status::Invalid("Invalid latency-tracking-info-percentiles parameters");
    }
    if (!(percent >= 0 && percent <= 100)) {
      return Status::Invalid(
          "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]");
    }
    percentiles.push_back(percent);
  }
  return percentiles;
}

Status ReadOutputLimits(Bytes text, OutputLimits& limits) {
  constexpr std::size_t kPartsPerClass = 4;
  const std::vector<Bytes> parts = Split(text, ' ');
  if (parts.empty() || parts.size() % kPartsPerClass != 0) {
    return Status::Invalid("Wrong number of arguments in buffer limit configuration.");
  }
  for (std::size_t i = 0; i < parts.size(); i += kPartsPerClass) {
    std::size_t index = kClientClasses;
    if (IsWord(parts[i], "normal")) index = 0;
    if (IsWord(parts[i], "slave") || IsWord(parts[i], "replica")) index = 1;
    if (IsWord(parts[i], "pubsub")) index = 2;
    if (index == kClientClasses) {
      return Status::Invalid("Invalid client class specified in buffer limit configuration.");
    }
    std::int64_t hard = 0;
    std::int64_t soft = 0;
    std::int64_t seconds = 0;
    if (!ReadMemory(parts[i + 1], hard) || !ReadMemory(parts[i + 2], soft) ||
        !ReadInteger(parts[i + 3], seconds) || seconds < 0) {
      return Status::Invalid(
          "Error in hard, soft or soft_seconds setting in buffer limit configuration.");
    }
    limits[index] = {static_cast<std::uint64_t>(hard), static_cast<std::uint64_t>(soft), seconds};
  }
  return {};
}

std::string ToText(const OutputLimits& limits) {
  constexpr std::array<std::string_view, kClientClasses> kNames = {"normal", "slave", "pubsub"};
  std::string text;
  for (std::size_t i = 0; i < kClientClasses; ++i) {
    text += fmt::format("{}{} {} {} {}", i == 0 ? "" : " ", kNames[i], limits[i].hard_bytes,
                        limits[i].soft_bytes, limits[i].soft_seconds);
  }
  return text;
}

}  // namespace mayfly::server
