// value_condition.h - conditions on the string that a key holds: IFEQ, IFNE, IFDEQ and IFDNE.
// The last two compare a digest in place of the value: XXH3 of 64 bits, as 16 hexadecimal digits.
// Clients compute it themselves, so it never changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

struct ValueCondition {
  enum class Kind : std::uint8_t { kEqual, kDifferent, kDigestEqual, kDigestDifferent };

  Kind kind;
  Bytes operand;  // The caller's.
};

// The condition that the word begins; `operand` is the argument behind it.
std::optional<ValueCondition::Kind> ValueConditionOf(Bytes word);

// In lower case.
std::string DigestOf(Bytes value);

// For the row of a string, or a missing one, which is different from everything. Invalid for an
// operand that is no digest, unless the row is missing.
Result<bool> Holds(const ValueCondition& condition, const core::FoundRow& row);

}  // namespace mayfly::server
