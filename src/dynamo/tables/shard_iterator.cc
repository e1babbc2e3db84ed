#include "dynamo/tables/shard_iterator.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

std::string WriteSequence(std::uint64_t sequence) { return fmt::format("{:021}", sequence); }

Outcome<std::uint64_t> ReadSequence(std::string_view text) {
  const auto number = NumberIn(text);
  if (!number) return Invalid(fmt::format("Invalid SequenceNumber: {}", text));
  return *number;
}

std::string WriteIterator(const ShardIterator& iterator) {
  return fmt::format("{}|{}|{}",
                     StreamArn(kDefaultRegion, iterator.stream.table, iterator.stream.label),
                     ToMs(iterator.issued), iterator.sequence);
}

Outcome<ShardIterator> ReadIterator(std::string_view text, WallTime now) {
  const std::size_t second = text.rfind('|');
  const std::size_t first =
      second == std::string_view::npos || second == 0 ? second : text.rfind('|', second - 1);
  const auto refuse = [] { return Invalid("Invalid ShardIterator"); };
  if (second == std::string_view::npos || first == std::string_view::npos) return refuse();
  const auto issued = NumberIn(text.substr(first + 1, second - first - 1));
  const auto sequence = NumberIn(text.substr(second + 1));
  if (!issued || *issued > INT64_MAX || !sequence) return refuse();
  ShardIterator iterator;
  iterator.issued = WallTimeFromMs(static_cast<std::int64_t>(*issued));
  iterator.sequence = *sequence;
  MAYFLY_TRY(iterator.stream, ReadStreamArn(text.substr(0, first)));
  if (iterator.issued > now || now - iterator.issued > kShardIteratorLife) {
    return Refusal(ErrorKind::kExpiredIterator, "The provided iterator exceeds the maximum age.");
  }
  return iterator;
}

}  // namespace mayfly::dynamo
