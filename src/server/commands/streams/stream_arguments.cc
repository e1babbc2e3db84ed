#include "server/commands/streams/stream_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server {
namespace {

using types::StreamId;
using types::StreamTrim;

constexpr std::size_t kIdTextMax = 127;
constexpr std::int64_t kNodesMax = 100;
constexpr std::int64_t kLimitDefault = 10'000;
constexpr std::int64_t kLimitMax = 1'000'000;

// About 35,000 years: the sum with an instant of the clock fits.
constexpr std::int64_t kMaxAgeMax = std::int64_t{1} << 50;

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// As C's strtoull() reads a number, and Redis ids with it: blanks, a sign and zeros may lead. A
// plain negative number is refused.
std::optional<std::uint64_t> Unsigned(Bytes text) {
  if (text.size() > 1 && text[0] == '-' && text[1] >= '1' && text[1] <= '9') return std::nullopt;
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    if (number > (kMax - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return negative ? 0 - number : number;
}

// Up to the first zero byte, as Redis reads ids.
Bytes TextOf(Bytes argument) { return argument.substr(0, argument.find('\0')); }

struct Strategy {
  Bytes argument;
  bool approximate = false;
};

// The words behind MAXLEN or MINID: [=|~] argument. Moves `at` to the last of them.
Strategy ReadStrategy(std::span<const Bytes> args, std::size_t& at) {
  Strategy strategy;
  const bool marked = args.size() - at > 2 && (args[at + 1] == "~" || args[at + 1] == "=");
  if (marked) strategy.approximate = args[++at] == "~";
  strategy.argument = args[++at];
  return strategy;
}

// The trimming options, as they are read.
class TrimOptions {
 public:
  // True when the word at `at` was one, with `at` at its last argument.
  Result<bool> Read(std::span<const Bytes> args, std::size_t& at) {
    if (at + 1 == args.size()) return false;
    const bool length = IsWord(args[at], "maxlen");
    if (length || IsWord(args[at], "minid")) {
      if (trim_) {
        return Status::Invalid(
            "syntax error, MAXLEN and MINID options at the same time are not compatible");
      }
      const Strategy strategy = ReadStrategy(args, at);
      approximate_ = strategy.approximate;
      MAYFLY_RETURN_IF_ERROR(length ? SetLength(strategy.argument) : SetMinId(strategy.argument));
      return true;
    }
    if (!IsWord(args[at], "limit")) return false;
    MAYFLY_TRY(const std::int64_t limit, IntegerArgument(args[++at]));
    if (limit < 0) return Status::Invalid("The LIMIT argument must be >= 0.");
    limit_ = limit;
    return true;
  }

  Result<std::optional<StreamTrim>> Finish(const TrimRules& rules) {
    if (limit_.value_or(0) > 0 && !trim_) {
      return Status::Invalid(
          "syntax error, LIMIT cannot be used without specifying a trimming strategy");
    }
    if (!trim_ || rules.from_leader) return trim_;
    if (limit_ && !approximate_) {
      return Status::Invalid("syntax error, LIMIT cannot be used without the special ~ option");
    }
    if (!approximate_) return trim_;
    const std::int64_t step = rules.node_entries > 0 ? rules.node_entries : kNodesMax;
    std::int64_t limit = step > kLimitMax / kNodesMax ? kLimitMax : step * kNodesMax;
    if (rules.node_entries <= 0) limit = kLimitDefault;
    trim_->step = static_cast<std::uint64_t>(step);
    trim_->limit = static_cast<std::uint64_t>(limit_.value_or(limit));
    return trim_;
  }

 private:
  Status SetLength(Bytes argument) {
    MAYFLY_TRY(const std::int64_t length, IntegerArgument(argument));
    if (length < 0) return Status::Invalid("The MAXLEN argument must be >= 0.");
    trim_ = {.kind = StreamTrim::Kind::kLength, .length = static_cast<std::uint64_t>(length)};
    return {};
  }

  Status SetMinId(Bytes argument) {
    MAYFLY_TRY(const StreamId id, StreamIdArgument(argument));
    trim_ = {.kind = StreamTrim::Kind::kMinId, .min_id = id};
    return {};
  }

  std::optional<StreamTrim> trim_;
  std::optional<std::int64_t> limit_;
  bool approximate_ = false;
};

Status OnlyInReadGroup(std::string_view option) {
  return Status::Invalid(fmt::format(
      "The {} option is only supported by XREADGROUP. You called XREAD instead.", option));
}

Result<std::int64_t> BlockMillis(Bytes argument) {
  const auto timeout = IntegerArgument(argument);
  if (!timeout) return Status::Invalid("timeout is not an integer or out of range");
  if (*timeout < 0) return Status::Invalid("timeout is negative");
  if (*timeout > kMaxAgeMax) return Status::Invalid("timeout is out of range");
  return *timeout;
}

void FindKeysOfRead(std::span<const Bytes> args, bool grouped, KeyFlags flags,
                    std::vector<KeyUse>& keys) {
  const auto request = ParseRead(args, grouped, false);
  if (!request) return;
  const auto first = static_cast<int>(request->keys.data() - args.data());
  for (std::size_t i = 0; i < request->keys.size(); ++i) {
    keys.push_back({first + static_cast<int>(i), flags});
  }
}

}  // namespace

Status InvalidStreamId() {
  return Status::Invalid("Invalid stream ID specified as stream command argument");
}

Result<StreamId> StreamIdArgument(Bytes argument, std::uint64_t missing) {
  if (argument.size() > kIdTextMax) return InvalidStreamId();
  const Bytes text = TextOf(argument);
  const std::size_t dash = text.find('-');
  const auto ms = Unsigned(text.substr(0, dash));
  const auto sequence = dash == Bytes::npos ? missing : Unsigned(text.substr(dash + 1));
  if (!ms || !sequence) return InvalidStreamId();
  return StreamId{*ms, *sequence};
}

Result<std::vector<StreamId>> StreamIdArguments(std::span<const Bytes> arguments) {
  std::vector<StreamId> ids;
  ids.reserve(arguments.size());
  for (const Bytes argument : arguments) {
    MAYFLY_TRY(const StreamId id, StreamIdArgument(argument));
    ids.push_back(id);
  }
  return ids;
}

Result<StreamId> OpenStreamIdArgument(Bytes argument, std::uint64_t missing) {
  const Bytes text = TextOf(argument);
  if (text == "-" && argument.size() <= kIdTextMax) return StreamId();
  if (text == "+" && argument.size() <= kIdTextMax) return types::kStreamIdMax;
  return StreamIdArgument(argument, missing);
}

Result<StreamId> RangeStartArgument(Bytes argument) {
  if (argument.size() < 2 || argument.front() != '(') return OpenStreamIdArgument(argument, 0);
  MAYFLY_TRY(const StreamId id, StreamIdArgument(argument.substr(1), 0));
  const auto next = types::After(id);
  if (!next) return Status::Invalid("invalid start ID for the interval");
  return *next;
}

Result<StreamId> RangeEndArgument(Bytes argument) {
  if (argument.size() < 2 || argument.front() != '(') {
    return OpenStreamIdArgument(argument, UINT64_MAX);
  }
  MAYFLY_TRY(const StreamId id, StreamIdArgument(argument.substr(1), UINT64_MAX));
  const auto before = types::Before(id);
  if (!before) return Status::Invalid("invalid end ID for the interval");
  return *before;
}

Result<NewIdArgument> ParseNewId(Bytes argument) {
  if (argument == "*") return NewIdArgument();
  const Bytes text = TextOf(argument);
  if (!text.ends_with("-*") || text.find('-') != text.size() - 2) {
    MAYFLY_TRY(const StreamId id, StreamIdArgument(argument));
    return NewIdArgument{.id = id};
  }
  const auto ms = Unsigned(text.substr(0, text.size() - 2));
  if (!ms || argument.size() > kIdTextMax) return InvalidStreamId();
  return NewIdArgument{.id = StreamId{*ms, 0}, .has_sequence = false};
}

Result<StreamOptions> ParseStreamOptions(std::span<const Bytes> args, StreamOptionsOf command,
                                         const TrimRules& rules) {
  const bool adds = command == StreamOptionsOf::kXAdd;
  StreamOptions options;
  TrimOptions trim;
  std::size_t at = 2;
  for (; at < args.size(); ++at) {
    if (adds && args[at] == "*") break;
    MAYFLY_TRY(const bool read, trim.Read(args, at));
    if (read) continue;
    if (adds && IsWord(args[at], "nomkstream")) {
      options.make_stream = false;
    } else if (adds && IsWord(args[at], "maxage") && at + 1 < args.size()) {
      MAYFLY_TRY(options.max_age, MaxAgeArgument(args[++at]));
    } else if (adds) {
      MAYFLY_TRY(options.id, ParseNewId(args[at]));
      break;
    } else {
      return SyntaxError();
    }
  }
  options.fields_at = at + 1;
  MAYFLY_TRY(options.trim, trim.Finish(rules));
  if (!adds && !options.trim) {
    return Status::Invalid("syntax error, XTRIM must be called with a trimming strategy");
  }
  return options;
}

Result<Millis> MaxAgeArgument(Bytes argument) {
  MAYFLY_TRY(const std::int64_t millis, IntegerArgument(argument));
  if (millis < 0) return Status::Invalid("The MAXAGE argument must be >= 0.");
  if (millis > kMaxAgeMax) return OutOfRange();
  return Millis(millis);
}

Result<ReadRequest> ParseRead(std::span<const Bytes> args, bool grouped, bool from_script) {
  ReadRequest request;
  std::size_t at = 1;
  bool streams = false;
  for (; at < args.size() && !streams; ++at) {
    const std::size_t more = args.size() - at - 1;
    if (IsWord(args[at], "block") && more > 0) {
      if (from_script) {
        return Status::Invalid(
            fmt::format("{} command is not allowed with BLOCK option from scripts", args[0]));
      }
      MAYFLY_TRY(request.block_ms, BlockMillis(args[++at]));
    } else if (IsWord(args[at], "count") && more > 0) {
      MAYFLY_TRY(const std::int64_t count, IntegerArgument(args[++at]));
      request.count = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
    } else if (IsWord(args[at], "streams") && more > 0) {
      streams = true;
    } else if (IsWord(args[at], "group") && more >= 2) {
      if (!grouped) return OnlyInReadGroup("GROUP");
      request.group = args[at + 1];
      request.consumer = args[at + 2];
      at += 2;
    } else if (IsWord(args[at], "noack")) {
      if (!grouped) return OnlyInReadGroup("NOACK");
      request.no_ack = true;
    } else {
      return SyntaxError();
    }
  }
  if (!streams) return SyntaxError();
  const auto rest = args.subspan(at);
  if (rest.size() % 2 != 0) {
    return Status::Invalid(fmt::format(
        "Unbalanced {} list of streams: for each stream key an ID or '{}' must be specified.",
        "XREAD", '$'));
  }
  if (grouped && !request.group) return Status::Invalid("Missing GROUP option for XREADGROUP");
  request.keys = rest.first(rest.size() / 2);
  request.ids = rest.subspan(rest.size() / 2);
  return request;
}

void FindReadKeys(std::span<const Bytes> args, std::vector<KeyUse>& keys) {
  FindKeysOfRead(args, false, kRO | kAccess, keys);
}

void FindGroupReadKeys(std::span<const Bytes> args, std::vector<KeyUse>& keys) {
  FindKeysOfRead(args, true, kRO | kAccess, keys);
}

}  // namespace mayfly::server
