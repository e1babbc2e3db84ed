// tables_player.h - plays one call after the other on tables and on the model.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/temporary_directory.h"
#include "tables/protocol_tables.h"
#include "tables/random_posts.h"
#include "tables/tables_model.h"
#include "tables/tables_play.h"

namespace mayfly {

// Another clock, a millisecond ago.
class LateClock final : public Clock {
 public:
  explicit LateClock(const Clock& clock) : clock_(clock) {}
  WallTime Now() const override { return clock_.Now() - Millis(1); }
  SteadyTime Steady() const override { return clock_.Steady(); }
  void Sleep(Waker& waker, WallTime until) const override {
    clock_.Sleep(waker, until + Millis(1));
  }

 private:
  const Clock& clock_;
};

class Player {
 public:
  Player(const PlaySubject& subject, std::uint64_t seed);
  ~Player() { tables_.reset(); }

  // One call on both. Leaves a difference in difference_.
  std::optional<std::string> Step();

 private:
  void Put();
  void Update();
  void Delete();
  void WriteTogether();
  void Transact();
  void Get();
  void BatchGet();
  void Query();
  void Scan();
  void PartitionKeys();
  void Ttl();
  void PassTime();
  void Upkeep();

  struct PlannedWrite {
    tables::ItemWrite write;
    Item key;  // Or an item with it.
    ModelCondition condition;
    ReturnValues shown;
    std::function<std::optional<Item>(const std::optional<Item>& before)> after;
  };
  PlannedWrite NextPut();
  PlannedWrite NextUpdate();
  PlannedWrite NextDelete();

  // Applies it to the model, and compares.
  void ExpectWrite(const PlannedWrite& planned, const Result<WriteOutcome>& got);

  // The stored rows of all indexes.
  using IndexRows = std::vector<std::tuple<std::shared_ptr<Keyspace>, std::string, std::string>>;
  IndexRows Entries();

  ModelCondition Condition();
  template <typename Request>
  Request Conditional(Request request, const ModelCondition& condition) {
    if (subject_.broken == Broken::kIgnoresConditions) return request;
    request.condition = condition.text;
    request.arguments.names.insert(condition.arguments.names.begin(),
                                   condition.arguments.names.end());
    request.arguments.values.insert(condition.arguments.values.begin(),
                                    condition.arguments.values.end());
    return request;
  }

  void Expect(const std::string& what, const std::string& wanted, const std::string& got) {
    if (wanted != got && !difference_) {
      difference_ = what + "\n  wanted " + wanted + "\n  got    " + got;
    }
  }
  template <typename T>
  const T& Must(const std::string& what, const Result<T>& result) {
    static const T kNone{};
    if (result) return *result;
    Expect(what, "success", result.status().ToString());
    return kNone;
  }

  const PlaySubject subject_;
  RandomPosts posts_;
  TemporaryDirectory directory_;
  ManualClock clock_{kStart};
  LateClock late_;
  TablesModel model_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<tables::ProtocolTables> tables_;
  std::optional<std::string> difference_;
};

}  // namespace mayfly
