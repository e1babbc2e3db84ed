#include "tests/engine/mutants.h"

#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "tests/engine/forwarding_engine.h"

namespace mayfly::engine::suite {
namespace {

using ChangeFilter = std::function<bool(std::size_t i, const Batch::Change& change)>;

void AddChange(Batch& batch, const Batch::Change& change) {
  switch (change.kind) {
    case Batch::Kind::kPut: batch.Put(change.at, change.key, change.value); break;
    case Batch::Kind::kDelete: batch.Delete(change.at, change.key); break;
    case Batch::Kind::kDeleteRange: batch.DeleteRange(change.at, change.key, change.value); break;
  }
}

void AddCondition(Batch& batch, const Batch::Condition& condition) {
  if (condition.expected) {
    batch.Require(condition.at, condition.key, *condition.expected);
  } else {
    batch.RequireAbsent(condition.at, condition.key);
  }
}

void CopyConditions(const Batch& from, Batch& to) {
  for (std::size_t i = 0; i < from.condition_count(); ++i) AddCondition(to, from.condition(i));
}

void CopyChanges(const Batch& from, Batch& to, const ChangeFilter& wanted) {
  for (std::size_t i = 0; i < from.change_count(); ++i) {
    if (wanted(i, from.change(i))) AddChange(to, from.change(i));
  }
}

bool Every(std::size_t, const Batch::Change&) { return true; }

bool SpansRoles(const Batch& batch) {
  for (std::size_t i = 1; i < batch.change_count(); ++i) {
    if (batch.change(i).at.role != batch.change(0).at.role) return true;
  }
  return false;
}

class LosesDeletes final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    Batch kept;
    CopyConditions(batch, kept);
    CopyChanges(batch, kept, [](std::size_t, const Batch::Change& change) {
      return change.kind != Batch::Kind::kDelete;
    });
    return inner().Commit(kept, durability);
  }
};

class RangeDeletesTakeTheirEnd final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    Batch wider;
    CopyConditions(batch, wider);
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      const Batch::Change change = batch.change(i);
      AddChange(wider, change);
      if (change.kind == Batch::Kind::kDeleteRange) wider.Delete(change.at, change.value);
    }
    return inner().Commit(wider, durability);
  }
};

class LosesTheLastChangeOverRoles final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    if (!SpansRoles(batch)) return inner().Commit(batch, durability);
    Batch torn;
    CopyConditions(batch, torn);
    CopyChanges(batch, torn, [&batch](std::size_t i, const Batch::Change&) {
      return i + 1 < batch.change_count();
    });
    return inner().Commit(torn, durability);
  }
};

// Commits each role by itself, so a conflict in one leaves the changes of those before it.
class CommitsRoleByRole final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      Batch part;
      for (std::size_t i = 0; i < batch.condition_count(); ++i) {
        const Batch::Condition condition = batch.condition(i);
        if (static_cast<std::size_t>(condition.at.role) == role) AddCondition(part, condition);
      }
      CopyChanges(batch, part, [role](std::size_t, const Batch::Change& change) {
        return static_cast<std::size_t>(change.at.role) == role;
      });
      MAYFLY_RETURN_IF_ERROR(inner().Commit(part, durability));
    }
    return {};
  }
};

// Right in the end, but for a moment only the first half is visible.
class ShowsHalfABatch final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    const std::size_t half = batch.change_count() / 2;
    Batch first;
    CopyConditions(batch, first);
    CopyChanges(batch, first, [half](std::size_t i, const Batch::Change&) { return i < half; });
    MAYFLY_RETURN_IF_ERROR(inner().Commit(first, durability));
    std::this_thread::yield();
    Batch second;
    CopyChanges(batch, second, [half](std::size_t i, const Batch::Change&) { return i >= half; });
    return inner().Commit(second, durability);
  }
};

class IgnoresConditions final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    Batch changes;
    CopyChanges(batch, changes, Every);
    return inner().Commit(changes, durability);
  }
};

class ChecksConditionsTooEarly final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    Batch conditions;
    CopyConditions(batch, conditions);
    MAYFLY_RETURN_IF_ERROR(inner().Commit(conditions, durability));
    if (batch.condition_count() > 0) std::this_thread::yield();
    Batch changes;
    CopyChanges(batch, changes, Every);
    return inner().Commit(changes, durability);
  }
};

class CursorsShowTheirEnd final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    const std::string behind_end = std::string(options.range.end) + '\0';
    CursorOptions wider = options;
    if (!options.range.end.empty()) wider.range.end = behind_end;
    return ForwardingEngine::DoNewCursor(at, wider);
  }
};

class CursorsMissTheirBegin final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    const std::string behind_begin = std::string(options.range.begin) + '\0';
    CursorOptions narrower = options;
    if (options.range.begin < options.range.end) narrower.range.begin = behind_begin;
    return ForwardingEngine::DoNewCursor(at, narrower);
  }
};

class CursorsAreNotFrozen final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  // Reads the present state at every step.
  class Thawed final : public ForwardingCursor {
   public:
    Thawed(std::function<std::unique_ptr<Cursor>()> look, std::atomic<std::uint64_t>& open_cursors)
        : ForwardingCursor(look(), open_cursors), look_(std::move(look)) {}

   private:
    void DoNext() override {
      const std::string behind = std::string(key()) + '\0';
      Replace(look_());
      inner().SeekAtOrAfter(behind);
      Mirror();
    }

    const std::function<std::unique_ptr<Cursor>()> look_;
  };

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    if (options.snapshot) return ForwardingEngine::DoNewCursor(at, options);
    const auto look = [this, at, begin = std::string(options.range.begin),
                       end = std::string(options.range.end)] {
      return *inner().NewCursor(at, {.range = {.begin = begin, .end = end}});
    };
    return std::make_unique<Thawed>(look, open_cursors());
  }
};

class SnapshotsAreNotFrozen final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot*) const override {
    return ForwardingEngine::DoGet(at, key, value, nullptr);
  }
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot*) const override {
    ForwardingEngine::DoMultiGet(lookups, nullptr);
  }
  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    CursorOptions present = options;
    present.snapshot = nullptr;
    return ForwardingEngine::DoNewCursor(at, present);
  }
};

class MultiGetForgetsItsSnapshot final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot*) const override {
    ForwardingEngine::DoMultiGet(lookups, nullptr);
  }
};

class MultiGetReadsKeyByKey final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override {
    for (Lookup* lookup : lookups) {
      lookup->status = DoGet(lookup->at, lookup->key, lookup->value, snapshot);
      std::this_thread::yield();
    }
  }
};

}  // namespace

std::vector<Mutant> AllMutants() {
  using Needs = Mutant::Needs;
  // clang-format off
  std::vector<Mutant> all = {
      {"LosesDeletes",                Make<LosesDeletes>,                Needs::kNothing},
      {"RangeDeletesTakeTheirEnd",    Make<RangeDeletesTakeTheirEnd>,    Needs::kNothing},
      {"LosesTheLastChangeOverRoles", Make<LosesTheLastChangeOverRoles>, Needs::kNothing},
      {"CommitsRoleByRole",           Make<CommitsRoleByRole>,           Needs::kNothing},
      {"ShowsHalfABatch",             Make<ShowsHalfABatch>,             Needs::kThreads},
      {"IgnoresConditions",           Make<IgnoresConditions>,           Needs::kNothing},
      {"ChecksConditionsTooEarly",    Make<ChecksConditionsTooEarly>,    Needs::kThreads},
      {"CursorsShowTheirEnd",         Make<CursorsShowTheirEnd>,         Needs::kNothing},
      {"CursorsMissTheirBegin",       Make<CursorsMissTheirBegin>,       Needs::kNothing},
      {"CursorsAreNotFrozen",         Make<CursorsAreNotFrozen>,         Needs::kNothing},
      {"SnapshotsAreNotFrozen",       Make<SnapshotsAreNotFrozen>,       Needs::kNothing},
      {"MultiGetForgetsItsSnapshot",  Make<MultiGetForgetsItsSnapshot>,  Needs::kNothing},
      {"MultiGetReadsKeyByKey",       Make<MultiGetReadsKeyByKey>,       Needs::kThreads},
  };
  // clang-format on
  for (Mutant& mutant : ReclaimMutants()) all.push_back(std::move(mutant));
  return all;
}

}  // namespace mayfly::engine::suite
