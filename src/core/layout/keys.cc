#include "core/layout/keys.h"

#include <algorithm>
#include <cassert>

#include "base/coding.h"

namespace mayfly::core {
namespace {

// The halves of a piece of up to twice their size overlap.
template <typename Half>
char* AppendHalves(char* out, Bytes piece) {
  Half first;
  Half last;
  std::memcpy(&first, piece.data(), sizeof first);
  std::memcpy(&last, piece.data() + piece.size() - sizeof last, sizeof last);
  std::memcpy(out, &first, sizeof first);
  std::memcpy(out + piece.size() - sizeof last, &last, sizeof last);
  return out + piece.size();
}

// Most pieces are short: no call for them.
inline char* Append(char* out, Bytes piece) {
  const std::size_t size = piece.size();
  if (size > 16) return std::copy(piece.begin(), piece.end(), out);
  if (size >= 8) return AppendHalves<std::uint64_t>(out, piece);
  if (size >= 4) return AppendHalves<std::uint32_t>(out, piece);
  for (const char byte : piece) *out++ = byte;
  return out;
}

}  // namespace

RowKey::RowKey(KeyspaceId keyspace, Bytes key) {
  const std::uint32_t big_endian = __builtin_bswap32(keyspace);
  char* const out = Reserve(sizeof big_endian + key.size());
  std::memcpy(out, &big_endian, sizeof big_endian);
  Append(out + sizeof big_endian, key);
}

RowKey::RowKey(Bytes front, Bytes middle, Bytes rest) {
  char* out = Reserve(front.size() + middle.size() + rest.size());
  for (const Bytes piece : {front, middle, rest}) out = Append(out, piece);
}

char* RowKey::Reserve(std::size_t bytes) {
  char* out = inline_.data();
  if (bytes > inline_.size()) {
    long_.resize(bytes);
    out = long_.data();
  }
  bytes_ = {out, bytes};
  return out;
}

std::optional<KeyspaceId> KeyspaceOf(Bytes key) {
  KeyspaceId keyspace = 0;
  if (!EatBigEndian32(key, keyspace)) return std::nullopt;
  return keyspace;
}

std::string KeyspaceBegin(KeyspaceId keyspace) {
  std::string key;
  AppendBigEndian32(key, keyspace);
  return key;
}

std::string KeyspaceEnd(KeyspaceId keyspace) { return KeyspaceBegin(keyspace + 1); }

std::string EntryBegin(KeyspaceId keyspace, WallTime deadline) {
  std::string key;
  AppendBigEndian32(key, keyspace);
  // Deadlines before 1970 do not occur; a window may begin there.
  AppendBigEndian64(key, static_cast<std::uint64_t>(std::max<std::int64_t>(ToMs(deadline), 0)));
  return key;
}

std::string EntryKey(KeyspaceId keyspace, WallTime deadline, Bytes key) {
  assert(ToMs(deadline) >= 0);
  std::string entry;
  entry.reserve(sizeof keyspace + sizeof(std::uint64_t) + key.size());
  return entry.append(EntryBegin(keyspace, deadline)).append(key);
}

std::optional<EntryView> DecodeEntry(Bytes entry_key) {
  std::uint32_t keyspace = 0;
  std::uint64_t ms = 0;
  if (!EatBigEndian32(entry_key, keyspace) || !EatBigEndian64(entry_key, ms) ||
      static_cast<std::int64_t>(ms) < 0) {
    return std::nullopt;
  }
  return EntryView{.deadline = WallTimeFromMs(static_cast<std::int64_t>(ms)), .key = entry_key};
}

std::string MetaKey(char kind) { return std::string(1, kind); }

std::string MetaKey(char kind, KeyspaceId keyspace) {
  std::string key(1, kind);
  AppendBigEndian32(key, keyspace);
  return key;
}

std::string CounterKey(KeyspaceId keyspace, std::uint8_t number) {
  std::string key = MetaKey(kMetaCounters, keyspace);
  key.push_back(static_cast<char>(number));
  return key;
}

}  // namespace mayfly::core
