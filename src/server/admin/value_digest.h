// value_digest.h - the digest that Redis 7.0 computes of values and of everything: equal data have
// equal digests, on either server, whatever the encodings and the order in which it was written.
// (Later versions write scores with other digits, so their digests of sorted sets differ.)
//   of a value      | type | its elements | "!!expire!!", if the key has a deadline |
//   of a data set   for each database: | number |, then for each key: | name | value |, in any order
// Two steps make it from SHA1. Xor, for what has no order: digest ^ SHA1(bytes). Mix, for what has:
// SHA1(digest ^ SHA1(bytes)). Deadlines count as present or not: two servers disagree by a
// millisecond.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "core/transactions/transaction_keyspace.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::server::admin {

class Digest {
 public:
  void Xor(Bytes bytes);
  void Mix(Bytes bytes);
  void Xor(const Digest& other) { Xor(other.bytes()); }
  void Mix(std::uint32_t number);  // Big endian.

  Bytes bytes() const;
  std::string Hex() const;

 private:
  static constexpr std::size_t kBytes = 20;

  std::array<unsigned char, kBytes> bytes_{};
};

// Adds the value under the key, if there is one.
Status MixValue(core::TransactionKeyspace& space, Bytes key, Digest& digest);

}  // namespace mayfly::server::admin
