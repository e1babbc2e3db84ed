// schema_cache.h - the key schemas of tables as the home shard told them; perhaps out of date.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "cluster/tables/item_routes.h"
#include "cluster/tables/shard_calls.h"

namespace mayfly::cluster {

// Safe to call from any thread.
class SchemaCache final : public KeySchemas {
 public:
  explicit SchemaCache(ShardCalls& calls) : calls_(calls) {}

  std::optional<tables::ReadSchema> Find(const std::string& table,
                                         const std::string& index) override;

  // Some schema has turned out to be out of date.
  void Forget();

 private:
  ShardCalls& calls_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, tables::ReadSchema> known_;  // Guarded by mutex_.
};

}  // namespace mayfly::cluster
