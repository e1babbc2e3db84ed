// bitmap_commands.cc - the bitmap family's table, and the commands on single bits or all of them.
#include "server/commands/strings/bitmap_commands.h"

#include <algorithm>
#include <string>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/pieced_strings.h"
#include "server/commands/strings/bits.h"
#include "server/commands/support/families.h"
#include "server/commands/support/string_rows.h"
#include "server/commands/support/variable_keys.h"

namespace mayfly::server {
namespace {

// clang-format off
constexpr CommandSpec kBitmapCommands[] = {
    {"bitcount",    -2, kReadOnly,         OneKey(kRO | kAccess),                                  BitCount,
     {"Count the bits that are set.", "2.6.0", "O(n) in the bytes of the string or range",
      "key index=[start:int end:int index_unit=[BYTE | BIT]]"}},
    {"bitfield",    -2, kWrite | kDenyOom, VariableKey(kRW | kAccess | kUpdate, BitFieldKeyFlags), BitField,
     {"Read and write integers of any width within a string.", "3.2.0", "O(n) in the operations given",
      "key operation=[GET encoding_offset=(encoding offset:int) | write=([OVERFLOW wrap_sat_fail=(WRAP | SAT | "
      "FAIL)] write_operation=(SET encoding_offset_value=(encoding offset:int value:int) | INCRBY "
      "encoding_offset_increment=(encoding offset:int increment:int)))]..."}},
    {"bitfield_ro", -2, kReadOnly | kFast, OneKey(kRO | kAccess),                                  BitFieldReadOnly,
     {"Read integers of any width within a string.", "6.0.0", "O(n) in the operations given",
      "key [GET encoding_offset=(encoding offset:int)]+"}},
    {"bitop",       -4, kWrite | kDenyOom, TargetAndKeys(kOW | kUpdate, kRO | kAccess, 2),         BitOp,
     {"Combine strings bit by bit.", "2.6.0", "O(n) in the bytes of the longest string",
      "operation destkey:key key..."}},
    {"bitpos",      -3, kReadOnly,         OneKey(kRO | kAccess),                                  BitPos,
     {"Find the first bit that is set, or that is not.", "2.8.7", "O(n) in the bytes of the string or range",
      "key bit:int index=[start:int end_index=[end:int index_unit=[BYTE | BIT]]]"}},
    {"getbit",      3,  kReadOnly | kFast, OneKey(kRO | kAccess),                                  GetBit,
     {"Return one bit of a string.", "2.2.0", "O(1)", "key offset:int"}},
    {"setbit",      4,  kWrite | kDenyOom, OneKey(kRW | kAccess | kUpdate),                        SetBit,
     {"Set or clear one bit of a string.", "2.2.0", "O(1)", "key offset:int value:int"}},
};
// clang-format on

// The bits between two bounds, both inclusive and counted from the end if negative.
struct ParsedRange {
  bool empty = false;
  BitRange bits = {0, 0};
};

// The bytes that a range of bits lies in, and the range within them.
struct BitWindow {
  std::string room;
  Bytes bytes;
  std::uint64_t first_bit = 0;  // Of the bytes, in the string.
  BitRange bits = {0, 0};
};

Status ReadWindow(types::String& string, const BitRange& bits, BitWindow& window) {
  const std::uint64_t begin = bits.begin / 8;
  MAYFLY_TRY(window.bytes, string.Read(begin, (bits.end + 7) / 8 - begin, window.room));
  window.first_bit = begin * 8;
  window.bits = {bits.begin - window.first_bit, bits.end - window.first_bit};
  return {};
}

ParsedRange RangeWithin(std::uint64_t bytes, std::int64_t first, std::int64_t last, bool by_bit) {
  const auto size = static_cast<std::int64_t>(by_bit ? bytes * 8 : bytes);
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last = std::max<std::int64_t>(last + size, 0);
  last = std::min(last, size - 1);
  if (first > last) return {.empty = true};
  const std::uint64_t unit = by_bit ? 1 : 8;
  return {.bits = {static_cast<std::uint64_t>(first) * unit,
                   (static_cast<std::uint64_t>(last) + 1) * unit}};
}

// True for BIT, false for BYTE; a syntax error otherwise.
Result<bool> IsBitUnit(Bytes word) {
  if (IsWord(word, "bit")) return true;
  if (IsWord(word, "byte")) return false;
  return SyntaxError();
}

enum class BitOperation : std::uint8_t { kAnd, kOr, kXor, kNot };

Result<BitOperation> OperationArgument(Bytes word) {
  if (IsWord(word, "and")) return BitOperation::kAnd;
  if (IsWord(word, "or")) return BitOperation::kOr;
  if (IsWord(word, "xor")) return BitOperation::kXor;
  if (IsWord(word, "not")) return BitOperation::kNot;
  return SyntaxError();
}

// A shorter string is padded with zeros.
void Combine(std::string& result, Bytes other, BitOperation operation) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    const char byte = i < other.size() ? other[i] : '\0';
    switch (operation) {
      case BitOperation::kAnd: result[i] = static_cast<char>(result[i] & byte); break;
      case BitOperation::kOr: result[i] = static_cast<char>(result[i] | byte); break;
      case BitOperation::kXor: result[i] = static_cast<char>(result[i] ^ byte); break;
      case BitOperation::kNot: break;
    }
  }
}

std::string CombineAll(const std::vector<core::FoundRow>& sources, BitOperation operation) {
  std::size_t size = 0;
  for (const core::FoundRow& source : sources) size = std::max(size, source.value.size());
  std::string result(sources.front().value);
  result.resize(size);
  if (operation == BitOperation::kNot) {
    for (char& byte : result) byte = static_cast<char>(~byte);
    return result;
  }
  for (std::size_t i = 1; i < sources.size(); ++i) Combine(result, sources[i].value, operation);
  return result;
}

}  // namespace

CommandFamily BitmapFamily() { return {"bitmap", Category::kBitmap, kBitmapCommands}; }

Result<std::uint64_t> BitOffsetArgument(Bytes argument, unsigned width) {
  const auto wrong = [] { return Status::Invalid("bit offset is not an integer or out of range"); };
  const bool by_field = width != 0 && argument.starts_with('#');
  const auto number = IntegerArgument(by_field ? argument.substr(1) : argument);
  std::int64_t offset = 0;
  if (!number || __builtin_mul_overflow(*number, by_field ? std::int64_t{width} : 1, &offset)) {
    return wrong();
  }
  if (offset < 0 || static_cast<std::uint64_t>(offset) / 8 >= types::kStringBytesMax) {
    return wrong();
  }
  return static_cast<std::uint64_t>(offset);
}

Answer SetBit(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(const std::uint64_t bit, BitOffsetArgument(call.args[2]));
  if (call.args[3] != "0" && call.args[3] != "1") {
    return Status::Invalid("bit is not an integer or out of range");
  }
  const bool on = call.args[3] == "1";
  types::String string(call.space(), key);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  std::string room;
  MAYFLY_TRY(const Bytes old, string.Read(bit / 8, 1, room));
  const bool was_on = BitAt(old, bit % 8);
  if (was_on != on || old.empty()) {
    std::string byte(old);
    byte.resize(1);
    SetBitAt(byte, bit % 8, on);
    MAYFLY_RETURN_IF_ERROR(WriteString(call, key, string, bit / 8, byte));
    call.Notify(NotifyClass::kString, "setbit", key);
  } else {
    MAYFLY_RETURN_IF_ERROR(NotePieced(call, key, string));
  }
  call.reply.Integer(was_on ? 1 : 0);
  return {};
}

Answer GetBit(Call& call) {
  MAYFLY_TRY(const std::uint64_t bit, BitOffsetArgument(call.args[2]));
  types::String string(call.space(), call.args[1]);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  std::string room;
  MAYFLY_TRY(const Bytes byte, string.Read(bit / 8, 1, room));
  call.reply.Integer(BitAt(byte, bit % 8) ? 1 : 0);
  return {};
}

Answer BitCount(Call& call) {
  const std::size_t count = call.args.size();
  types::String string(call.space(), call.args[1]);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  if (!string.exists()) {  // Redis does not check the rest then.
    call.reply.Integer(0);
    return {};
  }
  ParsedRange range{.bits = {0, string.size() * 8}};
  if (count == 4 || count == 5) {
    MAYFLY_TRY(const std::int64_t first, IntegerArgument(call.args[2]));
    MAYFLY_TRY(const std::int64_t last, IntegerArgument(call.args[3]));
    bool by_bit = false;
    if (count == 5) {
      MAYFLY_TRY(by_bit, IsBitUnit(call.args[4]));
    }
    range = RangeWithin(string.size(), first, last, by_bit);
    if (first < 0 && last < 0 && first > last) range.empty = true;
  } else if (count != 2) {
    return SyntaxError();
  }
  BitWindow window;
  MAYFLY_RETURN_IF_ERROR(ReadWindow(string, range.bits, window));
  const std::uint64_t ones = range.empty ? 0 : CountOnes(window.bytes, window.bits);
  call.reply.Integer(static_cast<std::int64_t>(ones));
  return {};
}

Answer BitPos(Call& call) {
  const std::size_t count = call.args.size();
  MAYFLY_TRY(const std::int64_t bit, IntegerArgument(call.args[2]));
  if (bit != 0 && bit != 1) return Status::Invalid("The bit argument must be 1 or 0.");
  types::String string(call.space(), call.args[1]);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  if (!string.exists()) {  // A missing key is an endless run of zeros.
    call.reply.Integer(bit == 1 ? -1 : 0);
    return {};
  }
  if (count > 6) return SyntaxError();
  std::int64_t first = 0;
  std::int64_t last = -1;
  bool by_bit = false;
  if (count >= 4) {
    MAYFLY_TRY(first, IntegerArgument(call.args[3]));
  }
  if (count == 6) {
    MAYFLY_TRY(by_bit, IsBitUnit(call.args[5]));
  }
  if (count >= 5) {
    MAYFLY_TRY(last, IntegerArgument(call.args[4]));
  }
  const ParsedRange range = RangeWithin(string.size(), first, last, by_bit);
  std::int64_t position = -1;
  if (!range.empty) {
    BitWindow window;
    MAYFLY_RETURN_IF_ERROR(ReadWindow(string, range.bits, window));
    if (const auto found = FindBit(window.bytes, window.bits, bit == 1)) {
      position = static_cast<std::int64_t>(window.first_bit + *found);
    } else if (bit == 0 && count < 5) {
      // Without an end the string is followed by zeros.
      position = static_cast<std::int64_t>(string.size() * 8);
    }
  }
  call.reply.Integer(position);
  return {};
}

Answer BitOp(Call& call) {
  const Bytes target = call.args[2];
  MAYFLY_TRY(const BitOperation operation, OperationArgument(call.args[1]));
  if (operation == BitOperation::kNot && call.args.size() != 4) {
    return Status::Invalid("BITOP NOT must be called with a single source key.");
  }
  std::vector<core::FoundRow> sources(call.args.size() - 3);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(FindString(call, call.args[i + 3], sources[i]));
  }
  const std::string result = CombineAll(sources, operation);
  if (result.empty()) {
    MAYFLY_TRY(const bool deleted, call.space().Delete(target));
    if (deleted) call.Notify(NotifyClass::kGeneric, "del", target);
  } else {
    MAYFLY_RETURN_IF_ERROR(PutString(call, target, result, Lifetime::Default()));
    call.host.pieced_strings().Note(call.database, target, result);
    call.Notify(NotifyClass::kString, "set", target);
  }
  call.reply.Integer(static_cast<std::int64_t>(result.size()));
  return {};
}

}  // namespace mayfly::server
