// model_player.h - one play: a database, its model, and the transactions, snapshots and cursors
// open on both.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "mayfly/database.h"
#include "tests/core/model.h"
#include "tests/core/model_clock.h"
#include "tests/core/model_inputs.h"
#include "tests/core/model_play.h"
#include "tests/core/model_transaction.h"

namespace mayfly::core::suite {

class ModelPlayer {
 public:
  explicit ModelPlayer(const Subject& subject);
  ~ModelPlayer();

  std::optional<Difference> Run(std::span<const Operation> operations);

  // Draws a kind of operation, by weight.
  static std::uint32_t AnyKind(Random& random);

 private:
  struct OpenTransaction {
    std::unique_ptr<Transaction> real;
    ModelTransaction model;
  };
  struct KeptSnapshot {
    std::unique_ptr<Snapshot> real;
    Model::StatesById states;
    WallTime now;
  };
  using RowList = std::vector<std::pair<std::string, ModelRow>>;
  // A cursor, and the rows it should show.
  struct OpenCursor {
    std::unique_ptr<Cursor> real;
    RowList rows;
    std::optional<std::size_t> at;
  };
  // Where a read is made, and the rows it should see.
  struct Place {
    std::string keyspace;
    const KeyspaceReader* reader;
    ModelRows living;
    ModelPast past;
    WallTime now;
    OpenTransaction* transaction;  // Null outside.
    bool plain;                    // In neither transaction nor snapshot.
    std::string name;              // For the report.
  };
  struct Kind {
    unsigned weight;
    void (ModelPlayer::*play)();
  };
  static std::span<const Kind> Kinds();

  // Writes and transactions: model_player_writes.cc.
  void Write();
  void WriteBurst();
  void Begin();
  void WriteInTransaction();
  void SetSavepoint();
  void RollbackToSavepoint();
  void Commit();
  void Rollback();
  void ExpectOver(OpenTransaction& over);

  // Reads: model_player_reads.cc.
  void Get();
  void MultiGet();
  void Count();
  void GetAsOf();
  void ScanDeadlines();
  void Forecast();
  void OpenSnapshot();
  void VerifySnapshot();
  void ReleaseSnapshot();
  Place AnyPlace();
  void Looked(const Place& place, const std::string& key);
  bool CanAnswer(const Place& place, WallTime as_of) const;
  void ComparePast(const KeyspaceReader& reader, const ModelPast& past, WallTime as_of,
                   WallTime now, const std::string& name);

  // Walks: model_player_cursors.cc.
  void Walk();
  void KeepCursor();
  void MoveKeptCursor();
  void ReleaseCursor();
  std::optional<OpenCursor> AnyCursor(const Place& place);
  void MoveAndCompare(OpenCursor& cursor);

  // Time, space and order: model_player_upkeep.cc.
  void AdvanceClock();
  void MishandleClock();
  void ConfirmClock();
  void Purge();
  std::uint64_t FollowPurge(std::size_t told);  // Events that were delivered before it.
  void PurgeWhileSomebodyWrites();
  void Reclaim();
  void CompactEngine();
  void ReadEvents();
  void TrimEvents();
  void CreateKeyspace();
  void DropKeyspace();
  void ClearKeyspace();
  void SetPolicy();
  void Check();
  void CompareStatistics();
  void CompareEverything();
  void BackupAndRestore();
  void Reopen();
  void ObserveClock();
  void CompareRows(const KeyspaceReader& reader, const ModelRows& living, const std::string& name);
  void CompareRestored(Database& restored, WallTime now, const RestoreOptions& options,
                       const RestoreReport& report);
  void ExpectClean(Database& database);

  void Open();
  void CompareFreshEvents();
  Keyspace& Handle(const std::string& name) { return *handles_.at(name); }

  void Record(std::string operation);
  void Differ(std::string what);  // The first one counts.
  bool differs() const { return !difference_.empty(); }
  void ExpectCode(const std::string& what, const Status& status, StatusCode expected);
  template <typename T>
  void ExpectSame(const std::string& what, const T& found, const T& expected) {
    if (found != expected) Differ(fmt::format("{} is {}, not {}", what, found, expected));
  }

  const Subject& subject_;
  Random random_{0};  // Seeded anew by every operation.
  Model model_;
  ModelClock model_clock_;
  ModelInputs inputs_{random_, model_};
  TemporaryDirectory directory_;
  const std::unique_ptr<engine::suite::EngineHome> home_;
  const std::shared_ptr<Race> race_ = std::make_shared<Race>();
  ManualClock clock_;
  engine::Engine* engine_ = nullptr;  // database_'s.
  std::unique_ptr<Database> database_;
  std::unique_ptr<EventSubscription> subscription_;
  std::vector<Event> delivered_;
  std::map<std::string, std::shared_ptr<Keyspace>> handles_;
  std::vector<OpenTransaction> transactions_;
  std::vector<KeptSnapshot> snapshots_;
  std::vector<OpenCursor> cursors_;
  std::deque<std::string> operations_;
  std::string difference_;
};

std::string Describe(const Event& event);

// Rows and positions of cursors as text, to be compared and reported.
std::string Shown(Bytes key, Bytes value, std::optional<WallTime> deadline,
                  std::optional<WallTime> timestamp);
std::string Shown(const std::string& key, const ModelRow& row);
std::string Shown(const Cursor& cursor);

}  // namespace mayfly::core::suite
