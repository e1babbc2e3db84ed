// latched_fixture.h - latched transactions on one keyspace, in one line each.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/each_engine.h"
#include "core/transactions/latched_transaction.h"

namespace mayfly {

// Runs a function in a latched transaction of its own and commits it. Without keys the transaction
// is begun with everything.
inline void InLatched(Database& database, const Keyspace& keyspace, const std::vector<Bytes>& keys,
                      const std::function<void(core::TransactionKeyspace&)>& something) {
  core::KeySet scope;
  scope.everything = keys.empty();
  for (const Bytes key : keys) scope.keys.push_back({&keyspace, key});
  auto transaction = core::BeginLatched(database, scope);
  ASSERT_TRUE(transaction.has_value()) << transaction.status().ToString();
  something((*transaction)->In(keyspace));
  ASSERT_EQ(CodeOf((*transaction)->Commit()), kOk);
}

// Adds members to the collection, which is made if it does not exist.
inline void Fill(core::TransactionKeyspace& space, Bytes key,
                 const std::vector<std::string>& members,
                 core::MemberLifetime lifetime = core::MemberLifetime::Forever()) {
  core::FoundRow row;
  ASSERT_EQ(CodeOf(space.Find(key, row)), kOk);
  if (!row.exists) {
    ASSERT_EQ(CodeOf(space.MakeCollection(key, "head", Lifetime::Default())), kOk);
  }
  for (const std::string& member : members) {
    ASSERT_EQ(CodeOf(space.PutMember(key, member, "value of " + member, lifetime)), kOk);
  }
}

// A collection as reads show it.
struct Seen {
  bool exists = false;
  std::uint64_t members = 0;
  std::vector<std::string> names;
};

inline Seen Look(Database& database, const Keyspace& keyspace, Bytes key) {
  Seen seen;
  InLatched(database, keyspace, {key}, [&](core::TransactionKeyspace& space) {
    core::FoundRow row;
    ASSERT_EQ(CodeOf(space.Find(key, row)), kOk);
    seen.exists = row.exists;
    seen.members = row.members;
    if (!row.is_collection) return;
    const auto cursor = space.NewMemberCursor(key, core::Part::kMembers);
    ASSERT_TRUE(cursor.has_value());
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      seen.names.emplace_back((*cursor)->member());
    }
  });
  return seen;
}

}  // namespace mayfly
