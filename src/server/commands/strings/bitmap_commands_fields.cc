// bitmap_commands_fields.cc - BITFIELD: a list of small operations on one string, each with a
// reply.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/strings/bit_fields.h"
#include "server/commands/strings/bitmap_commands.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {
namespace {

enum class FieldVerb : std::uint8_t { kGet, kSet, kIncrBy };

struct FieldOperation {
  FieldVerb verb;
  FieldType type;
  std::uint64_t offset;
  std::int64_t operand = 0;
  Overflow overflow = Overflow::kWrap;
};

Result<Overflow> OverflowArgument(Bytes word) {
  if (IsWord(word, "wrap")) return Overflow::kWrap;
  if (IsWord(word, "sat")) return Overflow::kSaturate;
  if (IsWord(word, "fail")) return Overflow::kFail;
  return Status::Invalid("Invalid OVERFLOW type specified");
}

std::optional<FieldVerb> VerbOf(Bytes word, std::size_t words_left) {
  if (IsWord(word, "get") && words_left >= 2) return FieldVerb::kGet;
  if (IsWord(word, "set") && words_left >= 3) return FieldVerb::kSet;
  if (IsWord(word, "incrby") && words_left >= 3) return FieldVerb::kIncrBy;
  return std::nullopt;
}

// `words` begins with the type.
Result<FieldOperation> ParseOperation(FieldVerb verb, std::span<const Bytes> words,
                                      Overflow overflow) {
  const auto type = FieldTypeNamed(words[0]);
  if (!type) {
    return Status::Invalid(
        "Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 "
        "is.");
  }
  MAYFLY_TRY(const std::uint64_t offset, BitOffsetArgument(words[1], type->bits));
  FieldOperation operation{.verb = verb, .type = *type, .offset = offset, .overflow = overflow};
  if (verb != FieldVerb::kGet) {
    MAYFLY_TRY(operation.operand, IntegerArgument(words[2]));
  }
  return operation;
}

Result<std::vector<FieldOperation>> ParseOperations(std::span<const Bytes> words, bool read_only) {
  std::vector<FieldOperation> operations;
  Overflow overflow = Overflow::kWrap;
  for (std::size_t i = 0; i < words.size();) {
    const std::size_t left = words.size() - i - 1;
    if (IsWord(words[i], "overflow") && left >= 1) {
      MAYFLY_TRY(overflow, OverflowArgument(words[i + 1]));
      i += 2;
      continue;
    }
    const auto verb = VerbOf(words[i], left);
    if (!verb) return SyntaxError();
    MAYFLY_TRY(const FieldOperation operation,
               ParseOperation(*verb, words.subspan(i + 1), overflow));
    if (read_only && *verb != FieldVerb::kGet) {
      return Status::Invalid("BITFIELD_RO only supports the GET subcommand");
    }
    operations.push_back(operation);
    i += *verb == FieldVerb::kGet ? 3u : 4u;
  }
  return operations;
}

// Returns the reply. `window` is the bytes in which the field lies, from its first one on; writes
// to it and sets `changed` when that made a difference.
std::optional<std::int64_t> Apply(const FieldOperation& operation, std::string& window,
                                  bool& changed) {
  const std::uint64_t offset = operation.offset % 8;
  const std::int64_t old = ReadField(window, offset, operation.type);
  if (operation.verb == FieldVerb::kGet) return old;
  const auto fresh = operation.verb == FieldVerb::kSet
                         ? FitNumber(operation.type, operation.operand, operation.overflow)
                         : FitSum(operation.type, old, operation.operand, operation.overflow);
  if (!fresh) return std::nullopt;
  WriteField(window, offset, operation.type, *fresh);
  changed = *fresh != old;
  return operation.verb == FieldVerb::kSet ? old : *fresh;
}

// The bytes that a string needs to hold all fields that are written.
std::size_t BytesWritten(const std::vector<FieldOperation>& operations) {
  std::uint64_t bits = 0;
  for (const FieldOperation& operation : operations) {
    if (operation.verb == FieldVerb::kGet) continue;
    bits = std::max(bits, operation.offset + operation.type.bits);
  }
  return (bits + 7) / 8;
}

Answer RunOperations(Call& call, bool read_only) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(const auto operations, ParseOperations(call.args.subspan(2), read_only));
  types::String string(call.space(), key);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  const std::size_t written = BytesWritten(operations);
  MAYFLY_RETURN_IF_ERROR(CheckStringBytes(written));
  const bool grew = written > string.size();
  if (grew) {
    MAYFLY_RETURN_IF_ERROR(WriteString(call, key, string, written - 1, std::string(1, '\0')));
  }
  bool changed_any = false;
  bool written_any = false;
  std::string room;
  call.reply.Array(operations.size());
  for (const FieldOperation& operation : operations) {
    const std::uint64_t begin = operation.offset / 8;
    const std::uint64_t bytes = (operation.offset + operation.type.bits + 7) / 8 - begin;
    MAYFLY_TRY(const Bytes stored, string.Read(begin, bytes, room));
    std::string window(stored);
    window.resize(bytes);  // Zeros behind the end.
    bool changed = false;
    const auto told = Apply(operation, window, changed);
    if (changed) MAYFLY_RETURN_IF_ERROR(string.Write(begin, window));
    changed_any |= changed;
    if (told) {
      call.reply.Integer(*told);
    } else {
      call.reply.Null();
    }
    written_any |= told && operation.verb != FieldVerb::kGet;
  }
  if (written > 0) MAYFLY_RETURN_IF_ERROR(NotePieced(call, key, string));
  if (!grew && !changed_any) return {};
  // In Redis a string grows even for a write that fails, and that is not notified.
  if (written_any) call.Notify(NotifyClass::kString, "setbit", key);
  return {};
}

}  // namespace

Answer BitField(Call& call) { return RunOperations(call, /*read_only=*/false); }

Answer BitFieldReadOnly(Call& call) { return RunOperations(call, /*read_only=*/true); }

}  // namespace mayfly::server
