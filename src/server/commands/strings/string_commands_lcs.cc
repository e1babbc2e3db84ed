// string_commands_lcs.cc - LCS: the longest common subsequence of two strings.
// The table of lengths is filled from the front and read from the back, as in Redis: among several
// answers of equal length, both give the same one.
#include <algorithm>
#include <string>
#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/strings/string_commands.h"
#include "server/commands/support/string_rows.h"
#include "types/string.h"

namespace mayfly::server {
namespace {

// Memory of one call.
constexpr std::uint64_t kTableBytesMax = std::uint64_t{512} << 20;

struct LcsOptions {
  bool length = false;
  bool ranges = false;
  bool range_lengths = false;
  std::int64_t range_bytes_min = 0;
};

Result<LcsOptions> ParseLcsOptions(std::span<const Bytes> words) {
  LcsOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (IsWord(words[i], "idx")) {
      options.ranges = true;
    } else if (IsWord(words[i], "len")) {
      options.length = true;
    } else if (IsWord(words[i], "withmatchlen")) {
      options.range_lengths = true;
    } else if (IsWord(words[i], "minmatchlen") && i + 1 < words.size()) {
      MAYFLY_TRY(options.range_bytes_min, IntegerArgument(words[++i]));
    } else {
      return SyntaxError();
    }
  }
  if (options.length && options.ranges) {
    return Status::Invalid("If you want both the length and indexes, please just use IDX.");
  }
  return options;
}

// Length of the longest common subsequence of the first i and the first j bytes.
class LengthTable {
 public:
  LengthTable(Bytes a, Bytes b) : width_(b.size() + 1), lengths_((a.size() + 1) * width_) {
    for (std::size_t i = 1; i <= a.size(); ++i) {
      for (std::size_t j = 1; j <= b.size(); ++j) {
        Cell(i, j) = a[i - 1] == b[j - 1] ? Cell(i - 1, j - 1) + 1
                                          : std::max(Cell(i - 1, j), Cell(i, j - 1));
      }
    }
  }

  std::uint32_t At(std::size_t i, std::size_t j) const { return lengths_[i * width_ + j]; }

 private:
  std::uint32_t& Cell(std::size_t i, std::size_t j) { return lengths_[i * width_ + j]; }

  const std::size_t width_;
  std::vector<std::uint32_t> lengths_;
};

// A run of common bytes: `size` of them up to a_end and b_end.
struct SharedRun {
  std::size_t a_end;
  std::size_t b_end;
  std::size_t size;
};

// From the last run to the first.
std::vector<SharedRun> FindRuns(Bytes a, Bytes b, const LengthTable& table) {
  std::vector<SharedRun> runs;
  std::size_t i = a.size();
  std::size_t j = b.size();
  bool in_run = false;
  while (i > 0 && j > 0) {
    if (a[i - 1] == b[j - 1]) {
      if (!in_run) runs.push_back({i, j, 0});
      in_run = true;
      ++runs.back().size;
      --i;
      --j;
    } else {
      in_run = false;
      if (table.At(i - 1, j) > table.At(i, j - 1)) {
        --i;
      } else {
        --j;
      }
    }
  }
  return runs;
}

void ReplyRange(ReplyWriter& reply, std::size_t end, std::size_t size) {
  reply.Array(2);
  reply.Integer(static_cast<std::int64_t>(end - size));
  reply.Integer(static_cast<std::int64_t>(end - 1));
}

void ReplyRuns(ReplyWriter& reply, const std::vector<SharedRun>& runs, const LcsOptions& options,
               std::int64_t length) {
  reply.Map(2);
  reply.Bulk("matches");
  const auto matches = reply.BeginDeferred(Aggregate::kArray);
  std::size_t shown = 0;
  for (const SharedRun& run : runs) {
    const auto size = static_cast<std::int64_t>(run.size);
    if (size < options.range_bytes_min) continue;
    reply.Array(options.range_lengths ? 3 : 2);
    ReplyRange(reply, run.a_end, run.size);
    ReplyRange(reply, run.b_end, run.size);
    if (options.range_lengths) reply.Integer(size);
    ++shown;
  }
  reply.EndDeferred(matches, shown);
  reply.Bulk("len");
  reply.Integer(length);
}

std::string Joined(Bytes a, const std::vector<SharedRun>& runs) {
  std::string shared;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    shared += a.substr(run->a_end - run->size, run->size);
  }
  return shared;
}

}  // namespace

Answer Lcs(Call& call) {
  core::FoundRow a;
  core::FoundRow b;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[1], a));
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[2], b));
  MAYFLY_RETURN_IF_ERROR(types::ShowString(call.space(), call.args[1], a));
  MAYFLY_RETURN_IF_ERROR(types::ShowString(call.space(), call.args[2], b));
  if (a.is_collection || b.is_collection) {
    return Status::Invalid("The specified keys must contain string values");
  }
  MAYFLY_TRY(const LcsOptions options, ParseLcsOptions(call.args.subspan(3)));
  const std::uint64_t cells = (a.value.size() + 1) * (b.value.size() + 1);
  if (cells > kTableBytesMax / sizeof(std::uint32_t)) {
    return Status::Invalid(
        "Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
  }
  const LengthTable table(a.value, b.value);
  const std::int64_t length = table.At(a.value.size(), b.value.size());
  if (options.length) {
    call.reply.Integer(length);
  } else if (options.ranges) {
    ReplyRuns(call.reply, FindRuns(a.value, b.value, table), options, length);
  } else {
    call.reply.Bulk(Joined(a.value, FindRuns(a.value, b.value, table)));
  }
  return {};
}

}  // namespace mayfly::server
