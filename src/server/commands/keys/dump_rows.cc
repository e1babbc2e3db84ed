#include "server/commands/keys/dump_rows.h"

#include "core/layout/liveness.h"
#include "server/commands/keys/dump_streams.h"
#include "server/commands/support/collection_walk.h"
#include "types/hash.h"
#include "types/list.h"
#include "types/member_key.h"
#include "types/set.h"
#include "types/sorted_set.h"
#include "types/string.h"

namespace mayfly::server {
namespace {

Status ReadFields(core::TransactionKeyspace& space, Bytes key, DumpedValue& value) {
  MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    value.fields.push_back({std::string(types::NameOfMember(cursor->member())),
                            std::string(cursor->value()), cursor->deadline()});
  }
  return cursor->status();
}

Status ReadScores(core::TransactionKeyspace& space, Bytes key, DumpedValue& value) {
  MAYFLY_TRY(const types::SortedSet set, types::SortedSet::Open(space, key));
  return set.Walk({.range = types::RankRange{0, -1}}, [&](Bytes name, double score) {
    value.scores.push_back({std::string(name), score});
  });
}

Status AddFields(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                 WallTime now) {
  MAYFLY_TRY(types::Hash hash, types::Hash::Open(space, key));
  for (const DumpedField& field : value.fields) {
    if (core::IsDead(field.deadline, now)) continue;
    const auto lifetime = field.deadline ? core::MemberLifetime::Until(*field.deadline)
                                         : core::MemberLifetime::Forever();
    MAYFLY_RETURN_IF_ERROR(hash.Put(field.name, field.value, lifetime).status());
  }
  return {};
}

Status WriteScores(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value) {
  std::vector<types::ScoredName> all;
  for (const DumpedScore& one : value.scores) all.push_back({one.name, one.score});
  return types::SortedSet::Replace(space, key, all);
}

}  // namespace

Result<DumpedValue> ReadRows(core::TransactionKeyspace& space, Bytes key, const core::FoundRow& row,
                             WallTime now, MaxAges max_ages) {
  DumpedValue value;
  MAYFLY_TRY(value.type, types::TypeOf(row.is_collection, row.value));
  switch (value.type) {
    case types::ValueType::kString: {
      core::FoundRow whole;
      MAYFLY_RETURN_IF_ERROR(types::FindTyped(space, key, value.type, whole));
      value.text = whole.value;
      break;
    }
    case types::ValueType::kHash: MAYFLY_RETURN_IF_ERROR(ReadFields(space, key, value)); break;
    case types::ValueType::kSortedSet: MAYFLY_RETURN_IF_ERROR(ReadScores(space, key, value)); break;
    case types::ValueType::kStream:
      MAYFLY_RETURN_IF_ERROR(ReadStreamRows(space, key, now, value, max_ages));
      break;
    case types::ValueType::kList:
    case types::ValueType::kSet:
      MAYFLY_RETURN_IF_ERROR(WalkElements(
          space, key, value.type, [&](Bytes element) { value.elements.emplace_back(element); }));
      break;
  }
  return value;
}

Status WriteRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                 WallTime now) {
  switch (value.type) {
    case types::ValueType::kString:
      return types::PutString(space, key, value.text, Lifetime::Default());
    case types::ValueType::kHash:
      MAYFLY_RETURN_IF_ERROR(space.Delete(key).status());
      return AddFields(space, key, value, now);
    case types::ValueType::kSet: return types::Set::Replace(space, key, value.elements);
    case types::ValueType::kSortedSet: return WriteScores(space, key, value);
    case types::ValueType::kStream:
      MAYFLY_RETURN_IF_ERROR(space.Delete(key).status());
      return AddStreamRows(space, key, value, now);
    case types::ValueType::kList: break;
  }
  const std::vector<Bytes> elements(value.elements.begin(), value.elements.end());
  return ReplaceWithList(space, key, elements);
}

Status ExtendRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& more,
                  WallTime now) {
  switch (more.type) {
    case types::ValueType::kString: return Status::Internal("a string has no elements");
    case types::ValueType::kHash: return AddFields(space, key, more, now);
    case types::ValueType::kSet: {
      MAYFLY_TRY(types::Set set, types::Set::Open(space, key));
      for (const std::string& name : more.elements) MAYFLY_RETURN_IF_ERROR(set.Add(name).status());
      return {};
    }
    case types::ValueType::kSortedSet: {
      MAYFLY_TRY(types::SortedSet set, types::SortedSet::Open(space, key));
      for (const DumpedScore& one : more.scores) {
        MAYFLY_RETURN_IF_ERROR(set.Put(one.name, one.score).status());
      }
      return {};
    }
    case types::ValueType::kStream: return AddStreamRows(space, key, more, now);
    case types::ValueType::kList: break;
  }
  const std::vector<Bytes> elements(more.elements.begin(), more.elements.end());
  MAYFLY_TRY(types::List list, types::List::Open(space, key));
  return list.Push(types::ListEnd::kTail, elements);
}

}  // namespace mayfly::server
