// database_key.h - a key with the number of its database.
#pragma once

#include <compare>
#include <functional>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

// In place of a number: the keyspace of the server's own rows (Databases::own()).
inline constexpr int kOwnDatabase = -1;

struct DatabaseKey {
  int database = 0;
  std::string key;

  friend auto operator<=>(const DatabaseKey&, const DatabaseKey&) = default;
};

// For lookups without a copy of the key, and for latches.
struct DatabaseKeyView {
  int database = 0;
  Bytes key;
  bool writes = true;  // False: its latch is shared with other readers.
};

struct DatabaseKeyHash {
  using is_transparent = void;
  std::size_t operator()(const DatabaseKeyView& key) const {
    return std::hash<Bytes>()(key.key) + static_cast<std::size_t>(key.database) * 0x9E3779B9u;
  }
  std::size_t operator()(const DatabaseKey& key) const {
    return (*this)(DatabaseKeyView{key.database, key.key});
  }
};

struct DatabaseKeyEqual {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return a.database == b.database && Bytes(a.key) == Bytes(b.key);
  }
};

}  // namespace mayfly::server
