// model_transaction.h - a transaction on the model: a copy of everything, and its pending changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/model.h"

namespace mayfly::core::suite {

class ModelTransaction {
 public:
  explicit ModelTransaction(const Model& model) : then_(model.States()), now_(model.now) {}

  WallTime now() const { return now_; }

  // The living rows of a keyspace as the transaction sees them.
  ModelRows View(std::uint32_t id) const;

  // The keyspace's writes from before the transaction began.
  const ModelPast& Past(std::uint32_t id) const;

  // The transaction has used this keyspace: it must still exist at the commit.
  void Use(std::uint32_t id) { used_.insert(id); }

  // The transaction has read this key.
  void Touch(std::uint32_t id, const std::string& key) {
    if (!overlay_.contains({id, key}) && !key.empty()) touched_.emplace(id, key);
  }

  WriteAnswer Write(const ModelKeyspace& keyspace, const WriteCall& call);

  void SetSavepoint() { savepoints_.emplace_back(overlay_, late_); }
  StatusCode RollbackToSavepoint();

  // Makes the changes in `model`, or returns why not.
  StatusCode Commit(Model& model) const;

 private:
  using KeyOfAll = std::pair<std::uint32_t, std::string>;
  struct Pending {
    bool present = false;
    std::string value;
    Asked asked;
    std::optional<WallTime> deadline;  // As it would be, were the commit at the beginning.

    // Where order is by timestamp.
    std::optional<WallTime> timestamp = std::nullopt;  // The same, unless it is its own.
    bool own_timestamp = false;
    bool same_timestamp = false;  // That of the row it changes.
    bool ttl_from_commit = false;

    ModelRow row() const { return {value, deadline, timestamp}; }
    ModelDraft draft() const;
  };
  using Overlay = std::map<KeyOfAll, Pending>;
  using Late = std::map<std::pair<KeyOfAll, WallTime>, Pending>;

  bool IsChanged(const Model& model, const KeyOfAll& at) const;
  bool IsBad(const Model& model, const KeyOfAll& at, const Pending& pending) const;
  void Keep(const KeyOfAll& at, const ModelDraft& draft, std::optional<WallTime> newest,
            bool by_timestamp);

  Model::StatesById then_;
  WallTime now_;
  Overlay overlay_;
  Late late_;  // Late writes.
  std::vector<std::pair<Overlay, Late>> savepoints_;
  std::set<KeyOfAll> touched_;
  std::set<std::uint32_t> used_;
};

}  // namespace mayfly::core::suite
