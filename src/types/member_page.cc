#include "types/member_page.h"

#include "types/member_key.h"

namespace mayfly::types {

Result<std::uint64_t> WalkPage(core::TransactionKeyspace& space, Bytes key, std::uint64_t cursor,
                               std::uint64_t count,
                               FunctionRef<void(Bytes name, Bytes value)> show) {
  if (cursor >= kMemberHashMax) return std::uint64_t{0};
  MAYFLY_TRY(const auto members, space.NewMemberCursor(key, core::Part::kMembers));
  std::uint64_t last = cursor;
  for (members->SeekAtOrAfter(MemberKeysFrom(cursor + 1)); members->Valid(); members->Next()) {
    const std::uint64_t hash = HashOfMember(members->member());
    if (count == 0 && hash != last) return last;
    show(NameOfMember(members->member()), members->value());
    last = hash;
    if (count > 0) --count;
  }
  MAYFLY_RETURN_IF_ERROR(members->status());
  return std::uint64_t{0};
}

}  // namespace mayfly::types
