#include "server/commands/strings/value_condition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checksum.h"
#include "base/text.h"
#include "server/command/arguments.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kDigestDigits = 16;

Status CheckDigest(Bytes digest) {
  const bool hexadecimal =
      std::all_of(digest.begin(), digest.end(), [](char c) { return HexValue(c) >= 0; });
  if (hexadecimal && digest.size() == kDigestDigits) return {};
  return Status::Invalid("a digest must be exactly 16 hexadecimal characters");
}

}  // namespace

std::optional<ValueCondition::Kind> ValueConditionOf(Bytes word) {
  using Kind = ValueCondition::Kind;
  if (IsWord(word, "ifeq")) return Kind::kEqual;
  if (IsWord(word, "ifne")) return Kind::kDifferent;
  if (IsWord(word, "ifdeq")) return Kind::kDigestEqual;
  if (IsWord(word, "ifdne")) return Kind::kDigestDifferent;
  return std::nullopt;
}

std::string DigestOf(Bytes value) { return fmt::format("{:016x}", Hash64(value)); }

Result<bool> Holds(const ValueCondition& condition, const core::FoundRow& row) {
  using Kind = ValueCondition::Kind;
  const bool wants_equal = condition.kind == Kind::kEqual || condition.kind == Kind::kDigestEqual;
  if (!row.exists) return !wants_equal;
  const bool digests =
      condition.kind == Kind::kDigestEqual || condition.kind == Kind::kDigestDifferent;
  if (digests) MAYFLY_RETURN_IF_ERROR(CheckDigest(condition.operand));
  const bool equal = digests ? EqualsIgnoringCase(DigestOf(row.value), condition.operand)
                             : row.value == condition.operand;
  return equal == wants_equal;
}

}  // namespace mayfly::server
