// list_commands_positions.cc - the elements of a list: by position, by range, by value.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/lists/list_commands.h"

namespace mayfly::server {
namespace {

// Indexes as clients give them: below zero from the end, -1 being the last.
std::optional<std::uint64_t> PositionOf(std::int64_t index, std::uint64_t size) {
  if (index < 0) index += static_cast<std::int64_t>(size);
  if (index < 0 || static_cast<std::uint64_t>(index) >= size) return std::nullopt;
  return static_cast<std::uint64_t>(index);
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // Not after begin: an empty range.
};

// The part of a list between two indexes, both included and clipped to the list.
Range RangeOf(std::int64_t first, std::int64_t last, std::uint64_t size) {
  const auto signed_size = static_cast<std::int64_t>(size);
  if (first < 0) first = std::max<std::int64_t>(first + signed_size, 0);
  if (last < 0) last += signed_size;
  last = std::min(last, signed_size - 1);
  if (first > last) return {};
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last) + 1};
}

// The positions of the values that LREM removes, ascending.
Result<std::vector<std::uint64_t>> FindEqual(const types::List& list, Bytes wanted,
                                             std::int64_t count) {
  const std::uint64_t limit = count == 0  ? std::numeric_limits<std::uint64_t>::max()
                              : count > 0 ? static_cast<std::uint64_t>(count)
                                          : std::uint64_t{0} - static_cast<std::uint64_t>(count);
  std::vector<std::uint64_t> positions;
  const auto visit = [&](std::uint64_t position, Bytes value) {
    if (value == wanted) positions.push_back(position);
    return positions.size() < limit;
  };
  if (count >= 0) {
    MAYFLY_RETURN_IF_ERROR(list.WalkToTail(0, visit));
  } else {
    MAYFLY_RETURN_IF_ERROR(list.WalkToHead(list.size() - 1, visit));
    std::reverse(positions.begin(), positions.end());
  }
  return positions;
}

struct PosOptions {
  std::int64_t rank = 1;               // Below zero: from the tail.
  std::optional<std::uint64_t> count;  // 0: all.
  std::uint64_t compared_max = 0;      // 0: all.
};

Result<std::uint64_t> NotNegative(Bytes argument, std::string_view name) {
  const Result<std::int64_t> number = IntegerArgument(argument);
  if (!number || *number < 0) return Status::Invalid(fmt::format("{} can't be negative", name));
  return static_cast<std::uint64_t>(*number);
}

Result<std::int64_t> RankArgument(Bytes argument) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  MAYFLY_TRY(const std::int64_t rank, IntegerArgument(argument));
  if (rank < -kMax) {
    return Status::Invalid(
        fmt::format("value is out of range, value must between {} and {}", -kMax, kMax));
  }
  if (rank != 0) return rank;
  return Status::Invalid(
      "RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use "
      "negative to start from the end of the list");
}

Result<PosOptions> ReadPosOptions(std::span<const Bytes> options) {
  PosOptions read;
  for (; !options.empty(); options = options.subspan(2)) {
    if (options.size() < 2) return SyntaxError();
    if (IsWord(options[0], "rank")) {
      MAYFLY_TRY(read.rank, RankArgument(options[1]));
    } else if (IsWord(options[0], "count")) {
      MAYFLY_TRY(read.count, NotNegative(options[1], "COUNT"));
    } else if (IsWord(options[0], "maxlen")) {
      MAYFLY_TRY(read.compared_max, NotNegative(options[1], "MAXLEN"));
    } else {
      return SyntaxError();
    }
  }
  return read;
}

Result<std::vector<std::uint64_t>> FindPositions(const types::List& list, Bytes wanted,
                                                 const PosOptions& options) {
  std::vector<std::uint64_t> positions;
  if (list.empty()) return positions;
  const std::uint64_t count = options.count.value_or(1);
  auto to_skip = static_cast<std::uint64_t>(std::abs(options.rank)) - 1;
  std::uint64_t compared = 0;
  const auto visit = [&](std::uint64_t position, Bytes value) {
    ++compared;
    if (value == wanted) {
      if (to_skip > 0) {
        --to_skip;
      } else {
        positions.push_back(position);
      }
    }
    if (count != 0 && positions.size() == count) return false;
    return options.compared_max == 0 || compared < options.compared_max;
  };
  MAYFLY_RETURN_IF_ERROR(options.rank > 0 ? list.WalkToTail(0, visit)
                                          : list.WalkToHead(list.size() - 1, visit));
  return positions;
}

}  // namespace

Answer LIndex(Call& call) {
  MAYFLY_TRY(const types::List list, ListOf(call));
  if (list.empty()) {
    call.reply.Null();
    return {};
  }
  MAYFLY_TRY(const std::int64_t index, IntegerArgument(call.args[2]));
  const auto position = PositionOf(index, list.size());
  if (!position) {
    call.reply.Null();
    return {};
  }
  MAYFLY_TRY(const std::string value, list.At(*position));
  call.reply.Bulk(value);
  return {};
}

Answer LSet(Call& call) {
  MAYFLY_TRY(types::List list, ListOf(call));
  if (list.empty()) return NoSuchKey();
  MAYFLY_TRY(const std::int64_t index, IntegerArgument(call.args[2]));
  const auto position = PositionOf(index, list.size());
  if (!position) return IndexOutOfRange();
  MAYFLY_RETURN_IF_ERROR(list.Set(*position, call.args[3]));
  NotifyList(call, list, call.args[1], "lset");
  call.reply.Ok();
  return {};
}

Answer LRange(Call& call) {
  MAYFLY_TRY(const std::int64_t first, IntegerArgument(call.args[2]));
  MAYFLY_TRY(const std::int64_t last, IntegerArgument(call.args[3]));
  MAYFLY_TRY(const types::List list, ListOf(call));
  const Range range = RangeOf(first, last, list.size());
  call.reply.Array(range.end - range.begin);
  if (range.begin == range.end) return {};
  return list.WalkToTail(range.begin, [&](std::uint64_t position, Bytes value) {
    call.reply.Bulk(value);
    return position + 1 < range.end;
  });
}

Answer LTrim(Call& call) {
  MAYFLY_TRY(const std::int64_t first, IntegerArgument(call.args[2]));
  MAYFLY_TRY(const std::int64_t last, IntegerArgument(call.args[3]));
  MAYFLY_TRY(types::List list, ListOf(call));
  if (!list.empty()) {
    const Range range = RangeOf(first, last, list.size());
    MAYFLY_RETURN_IF_ERROR(list.Trim(range.begin, range.end));
    NotifyList(call, list, call.args[1], "ltrim");
  }
  call.reply.Ok();
  return {};
}

Answer LRem(Call& call) {
  MAYFLY_TRY(const std::int64_t count, IntegerArgument(call.args[2]));
  MAYFLY_TRY(types::List list, ListOf(call));
  if (list.empty()) {
    call.reply.Integer(0);
    return {};
  }
  MAYFLY_TRY(const auto positions, FindEqual(list, call.args[3], count));
  if (!positions.empty()) {
    MAYFLY_RETURN_IF_ERROR(list.Remove(positions));
    NotifyList(call, list, call.args[1], "lrem");
  }
  call.reply.Integer(static_cast<std::int64_t>(positions.size()));
  return {};
}

Answer LInsert(Call& call) {
  const bool after = IsWord(call.args[2], "after");
  if (!after && !IsWord(call.args[2], "before")) return SyntaxError();
  MAYFLY_TRY(types::List list, ListOf(call));
  std::optional<std::uint64_t> pivot;
  MAYFLY_RETURN_IF_ERROR(list.WalkToTail(0, [&](std::uint64_t position, Bytes value) {
    if (value == call.args[3]) pivot = position;
    return !pivot;
  }));
  if (!pivot) {
    call.reply.Integer(list.empty() ? 0 : -1);
    return {};
  }
  MAYFLY_RETURN_IF_ERROR(list.Insert(after ? *pivot + 1 : *pivot, call.args[4]));
  NotifyList(call, list, call.args[1], "linsert");
  call.reply.Integer(static_cast<std::int64_t>(list.size()));
  return {};
}

Answer LPos(Call& call) {
  MAYFLY_TRY(const PosOptions options, ReadPosOptions(call.args.subspan(3)));
  MAYFLY_TRY(const types::List list, ListOf(call));
  MAYFLY_TRY(const auto positions, FindPositions(list, call.args[2], options));
  if (options.count) {
    call.reply.Array(positions.size());
    for (const std::uint64_t position : positions) {
      call.reply.Integer(static_cast<std::int64_t>(position));
    }
  } else if (positions.empty()) {
    call.reply.Null();
  } else {
    call.reply.Integer(static_cast<std::int64_t>(positions.front()));
  }
  return {};
}

}  // namespace mayfly::server
