// Engines that are wrong in the calls that reclaim: CompactFile(), DropFile(), Flush(), Find().
// They change rows through the plain calls, so that they stay broken in one way only.
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/engine/forwarding_engine.h"
#include "tests/engine/mutants.h"

namespace mayfly::engine::suite {
namespace {

// Remembers the first value each key had, as a file deep down would.
class RemembersFirstValues : public ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;

 protected:
  Status DoCommit(const Batch& batch, Durability durability) override {
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      const Batch::Change change = batch.change(i);
      if (change.kind != Batch::Kind::kPut) continue;
      first_.try_emplace({change.at.role, std::string(change.key)}, change.value);
    }
    return inner().Commit(batch, durability);
  }

  // Gives keys of the role that are absent their first value again.
  Status Revive(Role role) {
    Batch revived;
    for (const auto& [key, value] : first_) {
      PinnedBytes present;
      if (key.first != role || inner().Get({.role = role}, key.second, present).ok()) continue;
      revived.Put({.role = role}, key.second, value);
    }
    return inner().Commit(revived);
  }

 private:
  std::map<std::pair<Role, std::string>, std::string> first_;
};

// A tombstone is removed with its file, and the value it hid comes back.
class DropFileTakesAFileWithSomethingBeneath final : public RemembersFirstValues {
  using RemembersFirstValues::RemembersFirstValues;

  Result<bool> DoDropFile(Role role, const std::string& name) override {
    MAYFLY_TRY(const std::vector<FileInfo> files, inner().Files(role));
    for (const FileInfo& file : files) {
      if (file.name != name || file.deletions == 0) continue;
      MAYFLY_RETURN_IF_ERROR(Revive(role));
      return true;
    }
    return inner().DropFile(role, name);
  }
};

// Dead values are removed without a tombstone for older values beneath them.
class CompactFileRevives final : public RemembersFirstValues {
  using RemembersFirstValues::RemembersFirstValues;

  Result<bool> DoCompactFile(Role role, const std::string& name, std::uint64_t rate) override {
    MAYFLY_TRY(const bool done, inner().CompactFile(role, name, rate));
    if (done) MAYFLY_RETURN_IF_ERROR(Revive(role));
    return done;
  }
};

class CompactFileDoesNothing final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Result<bool> DoCompactFile(Role role, const std::string& name, std::uint64_t) override {
    MAYFLY_TRY(const std::vector<FileInfo> files, inner().Files(role));
    for (const FileInfo& file : files) {
      if (file.name == name) return true;
    }
    return false;
  }
};

class FlushDoesNothing final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoFlush() override { return {}; }
};

class FindSeesOnlyWhatReadersSee final : public ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress&) const override {
    std::vector<Trace> traces;
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      MAYFLY_TRY(const auto cursor, inner().NewCursor({.role = static_cast<Role>(role)}));
      for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
        if (traces.size() == traces_max) return traces;
        const bool held = cursor->key().find(needle) != Bytes::npos ||
                          cursor->value().find(needle) != Bytes::npos;
        if (held) traces.push_back({.where = "a role", .what = "a row"});
      }
    }
    return traces;
  }
};

}  // namespace

std::vector<Mutant> ReclaimMutants() {
  using Needs = Mutant::Needs;
  return {
      {"DropFileTakesAFileWithSomethingBeneath", Make<DropFileTakesAFileWithSomethingBeneath>,
       Needs::kFiles},
      {"CompactFileRevives", Make<CompactFileRevives>, Needs::kFiles},
      {"CompactFileDoesNothing", Make<CompactFileDoesNothing>, Needs::kFiles},
      {"FlushDoesNothing", Make<FlushDoesNothing>, Needs::kFiles},
      {"FindSeesOnlyWhatReadersSee", Make<FindSeesOnlyWhatReadersSee>, Needs::kFiles},
  };
}

}  // namespace mayfly::engine::suite
