#include "server/commands/sorted_sets/sorted_set_arguments.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/text.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

struct Strtod {
  double value;
  bool whole;  // The text was a number and nothing else.
  bool lost;   // Overflow or underflow of a double.
};

Strtod ReadAsC(Bytes text) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(copy.c_str(), &end);
  const bool whole = end == copy.c_str() + copy.size() && !std::isnan(value);
  return {value, whole, errno == ERANGE && (std::isinf(value) || value == 0)};
}

struct ScoreBound {
  double score;
  bool excluded;
};

// Unlike a score, a bound may be empty (0), have blanks in front, or overflow.
std::optional<ScoreBound> ReadScoreBound(Bytes argument) {
  const bool excluded = argument.starts_with('(');
  if (excluded) argument.remove_prefix(1);
  const Strtod read = ReadAsC(argument);
  if (!read.whole) return std::nullopt;
  return ScoreBound{read.value, excluded};
}

std::optional<types::NameBound> ReadNameBound(Bytes argument) {
  using Kind = types::NameBound::Kind;
  if (argument == "-") return types::NameBound{Kind::kBelowAll};
  if (argument == "+") return types::NameBound{Kind::kAboveAll};
  if (argument.starts_with('[')) return types::NameBound{Kind::kIncluded, argument.substr(1)};
  if (argument.starts_with('(')) return types::NameBound{Kind::kExcluded, argument.substr(1)};
  return std::nullopt;
}

}  // namespace

Result<double> ScoreArgument(Bytes argument) {
  double value = 0;
  if (ReadDouble(argument, value) && !std::isnan(value)) return value;
  if (argument.empty() || IsSpace(argument.front())) {
    return NotAFloat();
  }
  const Strtod read = ReadAsC(argument);
  if (!read.whole || read.lost) return NotAFloat();
  return read.value;
}

Result<types::ScoreRange> ScoreRangeArguments(Bytes min, Bytes max) {
  const auto low = ReadScoreBound(min);
  const auto high = ReadScoreBound(max);
  if (!low || !high) return Status::Invalid("min or max is not a float");
  return types::ScoreRange{.min = low->score,
                           .max = high->score,
                           .min_excluded = low->excluded,
                           .max_excluded = high->excluded};
}

Result<types::NameRange> NameRangeArguments(Bytes min, Bytes max) {
  const auto low = ReadNameBound(min);
  const auto high = ReadNameBound(max);
  if (!low || !high) return Status::Invalid("min or max not valid string range item");
  return types::NameRange{.min = *low, .max = *high};
}

Result<types::RankRange> RankRangeArguments(Bytes first, Bytes last) {
  MAYFLY_TRY(const std::int64_t from, IntegerArgument(first));
  MAYFLY_TRY(const std::int64_t to, IntegerArgument(last));
  return types::RankRange{.first = from, .last = to};
}

}  // namespace mayfly::server
