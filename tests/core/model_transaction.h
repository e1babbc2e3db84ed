// model_transaction.h - a transaction on the model: a copy of everything, and what it would change.
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
  explicit ModelTransaction(const Model& model) : then_(model.Rows()), now_(model.now) {}

  WallTime now() const { return now_; }

  // The living rows of a keyspace as the transaction sees them.
  ModelRows View(std::uint32_t id) const;

  // The transaction has named this keyspace: it must still be there at the commit.
  void Use(std::uint32_t id) { used_.insert(id); }

  // The transaction has looked at this key.
  void Touch(std::uint32_t id, const std::string& key) {
    if (!overlay_.contains({id, key}) && !key.empty()) touched_.emplace(id, key);
  }

  WriteAnswer Write(const ModelKeyspace& keyspace, const WriteCall& call);

  void SetSavepoint() { savepoints_.push_back(overlay_); }
  StatusCode RollbackToSavepoint();

  // Makes the changes in `model`, or says why not.
  StatusCode Commit(Model& model) const;

 private:
  using KeyOfAll = std::pair<std::uint32_t, std::string>;
  struct Pending {
    bool present = false;
    std::string value;
    Asked asked;
    std::optional<WallTime> deadline;  // As it would be, were the commit at the beginning.
  };
  using Overlay = std::map<KeyOfAll, Pending>;

  bool IsChanged(const Model& model, const KeyOfAll& at) const;

  Model::RowsById then_;
  WallTime now_;
  Overlay overlay_;
  std::vector<Overlay> savepoints_;
  std::set<KeyOfAll> touched_;
  std::set<std::uint32_t> used_;
};

}  // namespace mayfly::core::suite
