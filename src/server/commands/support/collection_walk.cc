#include "server/commands/support/collection_walk.h"

#include "types/list.h"
#include "types/set.h"
#include "types/sorted_set.h"

namespace mayfly::server {

Status WalkElements(core::TransactionKeyspace& space, Bytes key, types::ValueType type,
                    FunctionRef<void(Bytes element)> show) {
  switch (type) {
    case types::ValueType::kList: {
      MAYFLY_TRY(const types::List list, types::List::Open(space, key));
      return list.WalkToTail(0, [&](std::uint64_t, Bytes value) {
        show(value);
        return true;
      });
    }
    case types::ValueType::kSet: {
      MAYFLY_TRY(const types::Set set, types::Set::Open(space, key));
      return set.Walk(show);
    }
    case types::ValueType::kSortedSet: {
      MAYFLY_TRY(const types::SortedSet set, types::SortedSet::Open(space, key));
      return set.Walk({.range = types::RankRange{0, -1}}, [&](Bytes name, double) { show(name); });
    }
    case types::ValueType::kString:
    case types::ValueType::kHash:
    case types::ValueType::kStream: break;
  }
  return Status::WrongType("neither a list nor a set");
}

Status ReplaceWithList(core::TransactionKeyspace& space, Bytes key,
                       std::span<const Bytes> elements) {
  MAYFLY_RETURN_IF_ERROR(space.Delete(key).status());
  if (elements.empty()) return {};
  MAYFLY_TRY(types::List list, types::List::Open(space, key));
  return list.Push(types::ListEnd::kTail, elements);
}

}  // namespace mayfly::server
