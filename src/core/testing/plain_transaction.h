// plain_transaction.h - a LatchedTransaction on plain maps, for tests of types and commands, and as
// the reference for the real one. One at a time, no latches, no policies.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/transactions/latched_transaction.h"

namespace mayfly::core {

struct PlainMember {
  std::string value;
  std::optional<WallTime> deadline;
};

struct PlainRow {
  bool is_collection = false;
  std::string value;
  std::optional<WallTime> deadline;
  bool fresh = false;  // A collection that got no member yet.
  std::map<std::string, PlainMember, std::less<>> members;
  std::map<std::string, PlainMember, std::less<>> sides;
};

using PlainRows = std::map<std::string, PlainRow, std::less<>>;

// All rows, dead or not, by keyspace.
using PlainState = std::map<const Keyspace*, PlainRows>;

class PlainTransaction final : public LatchedTransaction {
 public:
  // Changes `state`, which must outlive it, when it commits.
  PlainTransaction(PlainState& state, WallTime now);
  ~PlainTransaction() override;

  TransactionKeyspace& In(const Keyspace& keyspace) override;
  WallTime now() const override { return now_; }
  Mark SetMark() override;
  void RollBack(Mark mark) override;
  void Release(Mark mark) override { marks_.resize(mark); }
  void set_witness(CommitWitness* witness) override { witness_ = witness; }
  const std::vector<ChangedKey>& changed() const override { return changed_; }
  ReadCounts& read_counts() override { return read_counts_; }
  Status Commit() override;

 private:
  class Space;

  void Changed(const Keyspace& keyspace, Bytes key);

  struct Saved {
    PlainState state;
    std::vector<ChangedKey> changed;
  };

  PlainState& committed_;
  const WallTime now_;
  PlainState state_;
  std::vector<Saved> marks_;
  std::set<std::string> changed_names_;
  std::vector<ChangedKey> changed_;
  ReadCounts read_counts_;
  CommitWitness* witness_ = nullptr;
  std::map<const Keyspace*, std::unique_ptr<Space>> spaces_;
};

}  // namespace mayfly::core
