// key_spec.h - which arguments of a command are keys, and what the command does to each.
// A command's line has up to three specifications, in the terms of COMMAND INFO: where the keys
// begin, how far they reach, and flags. COMMAND shows them, ACL derives the permissions needed from
// them, and INFO which reads count as hits and misses. Two functions cover what only the arguments
// can tell.
// Invariant, checked when the table is built: a command with the flag kVariable has its `vary`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"

namespace mayfly::server {

enum KeyFlag : std::uint32_t {
  // One of these four.
  kRO = 1u << 0,  // Read.
  kRW = 1u << 1,  // Changed, and what it becomes depends on what it was.
  kOW = 1u << 2,  // Overwritten, whatever it was.
  kRM = 1u << 3,  // Removed, whatever it was.

  // What becomes of the value. None: only its existence, type or size are read.
  kAccess = 1u << 4,  // Some of it reaches the client or another key.
  kUpdate = 1u << 5,  // It may be changed in any way.
  kInsert = 1u << 6,  // Something is added, and nothing else changed.
  kDelete = 1u << 7,  // Something is removed, and nothing else changed.

  kNotKey = 1u << 8,    // A channel that a cluster places like a key.
  kVariable = 1u << 9,  // The arguments decide. These flags are the most that can be.

  // mayfly's own. INFO counts the read of a kRO key as a hit or a miss, and no other read, unless
  // one of these two says otherwise.
  kCounted = 1u << 10,
  kUncounted = 1u << 11,
  kUnnotified = 1u << 12,  // A miss is counted, but not notified.
  kUnused = 1u << 13,      // To the policies LRU and LFU, this is no use of the key.
  kMayBeNone = 1u << 14,   // The range may be empty.
};
using KeyFlags = std::uint32_t;

enum class KeyForm : std::uint8_t {
  kNone,
  kRange,     // From one position to another.
  kNumbered,  // Behind an argument that says how many there are.
  kKeyword,   // Behind a word, found by `find`: half of the rest, and then it is alone; or one.
  kUnknown,   // Not given by a position.
};

struct KeySpec {
  KeyFlags flags = 0;
  KeyForm form = KeyForm::kNone;
  int first = 0;  // Position of the first key, or of the number of keys.
  int last = 0;   // Of a range: this far behind the first; negative: -1 is the last argument. Of
                  // kKeyword, -1: half of what is behind the word; 0: one, and it may be missing.
  int step = 1;   // Of a range, and of numbered keys.
  std::string_view keyword = {};  // Of kKeyword, searched from position `first` on.
};

// A key among the arguments.
struct KeyUse {
  int position;
  KeyFlags flags;
};

struct KeySpecs {
  std::array<KeySpec, 3> specs = {};  // Unused ones come last.

  // What these arguments do to the key; for kVariable.
  KeyFlags (*vary)(std::span<const Bytes> args) = nullptr;

  // Adds the keys of the specifications of unknown form, or behind a keyword. Null: the arguments
  // name none of them.
  void (*find)(std::span<const Bytes> args, std::vector<KeyUse>& keys) = nullptr;

  constexpr std::span<const KeySpec> all() const {
    std::size_t count = 0;
    while (count < specs.size() && specs[count].form != KeyForm::kNone) ++count;
    return {specs.data(), count};
  }
  constexpr bool names_one_key() const {
    return specs[0].form == KeyForm::kRange && specs[0].last == 0 &&
           specs[1].form == KeyForm::kNone;
  }
};

// Puts the keys among the arguments into `uses`, in the order of the specifications. False, and
// none, where the arguments do not tell: the handler refuses such arguments.
bool FindKeys(const KeySpecs& keys, std::span<const Bytes> args, std::vector<KeyUse>& uses);

// Adds the channels among the arguments that a cluster places like keys.
void FindChannels(const KeySpecs& keys, std::span<const Bytes> args, std::vector<KeyUse>& uses);

// Whether there is a specification of keys, not of channels alone.
bool HasKeys(const KeySpecs& keys);

// Whether one range of positions cannot say where the keys are: COMMAND's "movablekeys".
bool HasMovableKeys(const KeySpecs& keys);

// Whether the command reads keys that its arguments do not name, as SORT does by its patterns.
bool ReadsUnnamedKeys(const KeySpecs& keys);

// Whether the command changes keys, as far as the line says; a script's says nothing.
bool ChangesKeys(const KeySpecs& keys);

// Whether INFO counts a read of the key as a hit or a miss.
constexpr bool IsChanged(KeyFlags flags) { return (flags & (kRW | kOW | kRM)) != 0; }

constexpr bool IsCounted(KeyFlags flags) {
  return (flags & kCounted) != 0 || ((flags & kRO) != 0 && (flags & kUncounted) == 0);
}

// Constructors of the forms that the tables use.

constexpr KeySpec KeyAt(int position, KeyFlags flags) { return {flags, KeyForm::kRange, position}; }
constexpr KeySpec KeysFrom(int first, KeyFlags flags, int last = -1, int step = 1) {
  return {flags, KeyForm::kRange, first, last, step};
}
constexpr KeySpec KeysBehindNumber(int number_at, KeyFlags flags) {
  return {flags, KeyForm::kNumbered, number_at};
}
constexpr KeySpec KeysBehindWord(std::string_view keyword, int search_from, KeyFlags flags) {
  return {flags, KeyForm::kKeyword, search_from, -1, 1, keyword};
}
constexpr KeySpec KeyAfterWord(std::string_view keyword, int search_from, KeyFlags flags) {
  return {flags, KeyForm::kKeyword, search_from, 0, 1, keyword};
}
constexpr KeySpec UnknownKeys(KeyFlags flags) { return {flags, KeyForm::kUnknown}; }

inline constexpr KeySpecs kNoKeys{};
constexpr KeySpecs OneKey(KeyFlags flags) { return {{KeyAt(1, flags)}}; }
constexpr KeySpecs SubcommandKey(KeyFlags flags) { return {{KeyAt(2, flags)}}; }
constexpr KeySpecs AllKeys(KeyFlags flags) { return {{KeysFrom(1, flags)}}; }
constexpr KeySpecs AllButLast(KeyFlags flags) { return {{KeysFrom(1, flags, -2)}}; }
constexpr KeySpecs KeyValuePairs(KeyFlags flags) { return {{KeysFrom(1, flags, -1, 2)}}; }
constexpr KeySpecs TwoAlike(KeyFlags flags) { return {{KeysFrom(1, flags, 1)}}; }
constexpr KeySpecs TwoKeys(KeyFlags first, KeyFlags second) {
  return {{KeyAt(1, first), KeyAt(2, second)}};
}
constexpr KeySpecs TargetAndKeys(KeyFlags target, KeyFlags sources, int target_at = 1) {
  return {{KeyAt(target_at, target), KeysFrom(target_at + 1, sources)}};
}
constexpr KeySpecs NumberedKeys(KeyFlags flags, int number_at = 1) {
  return {{KeysBehindNumber(number_at, flags)}};
}
// A number of keys, and as many pairs of key and value.
constexpr KeySpecs NumberedPairs(KeyFlags flags, int number_at = 1) {
  return {{KeySpec{flags, KeyForm::kNumbered, number_at, 0, 2}}};
}
constexpr KeySpecs TargetAndNumberedKeys(KeyFlags target, KeyFlags sources) {
  return {{KeyAt(1, target), KeysBehindNumber(2, sources)}};
}
constexpr KeySpecs VariableKey(KeyFlags most, KeyFlags (*vary)(std::span<const Bytes> args)) {
  return {{KeyAt(1, most | kVariable)}, vary};
}

}  // namespace mayfly::server
