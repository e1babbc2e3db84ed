// latched_player.h - plays the same random transactions on a database and on plain maps, and
// compares. Each call is made on both with the same arguments, and results and cursors must be the
// same. Between transactions time passes, and the database is purged, reaped, compacted and
// reopened, which the maps are not.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "core/database_home.h"
#include "core/testing/plain_transaction.h"
#include "core/transactions/latched_transaction.h"

namespace mayfly {

enum class TransactionKind : std::uint8_t { kLatched, kOptimistic };

class LatchedPlayer {
 public:
  LatchedPlayer(EngineKind kind, TransactionKind transactions, std::uint64_t seed);
  ~LatchedPlayer();

  // One transaction with several calls, and perhaps some upkeep. Differences are failures of the
  // test.
  void Step();

  // Compares everything, row by row and member by member.
  void CompareAll();

  // Once all mortal rows are dead and purged, only living ones are stored.
  void ExpectNothingLeftOver();

  DatabaseHome& home() { return home_; }
  std::uint64_t calls() const { return calls_; }

 private:
  struct Both {
    core::TransactionKeyspace& real;
    core::TransactionKeyspace& plain;
    const Keyspace* keyspace;
  };

  void OpenKeyspaces();
  void Upkeep();
  void PlayTransaction();
  void Begin(const core::KeySet& scope);
  void PlayCall();
  void CallOnRow(const Both& in, const std::string& key);
  void CallOnCollection(const Both& in, const std::string& key);
  void CallOnMember(const Both& in, const std::string& key);
  void PutMember(const Both& in, const std::string& key, const std::string& member);
  void Copy(const Both& in, const std::string& key);
  void Move(const Both& in, const std::string& key);
  void WalkMembers(const Both& in, const std::string& key);
  void WalkRows(const Both& in);
  void CompareRow(const Both& in, const std::string& key);
  void CompareMember(const Both& in, const std::string& key, const std::string& member);
  void CompareChanged();

  Both In(std::size_t space);
  std::size_t SomeSpace() { return random_.Below(keyspaces_.size()); }
  std::string SomeKey();
  std::string SomeMember();
  std::string SomeValue();
  Lifetime SomeLifetime();
  WallTime SomeInstant();

  bool is_optimistic() const { return transactions_ == TransactionKind::kOptimistic; }

  const TransactionKind transactions_;
  Random random_;
  DatabaseHome home_;
  std::vector<std::shared_ptr<Keyspace>> keyspaces_;
  core::PlainState state_;
  std::unique_ptr<core::LatchedTransaction> real_;
  std::unique_ptr<core::LatchedTransaction> plain_;
  std::vector<std::pair<std::size_t, std::string>> scope_;  // Empty: everything.
  std::vector<std::pair<core::LatchedTransaction::Mark, core::LatchedTransaction::Mark>> marks_;
  bool cleared_ = false;
  std::uint64_t calls_ = 0;
};

}  // namespace mayfly
