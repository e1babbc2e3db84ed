#include "engine/cluster/shard/large_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/limits.h"

namespace mayfly::engine::cluster {

LargeValues::LargeValues(ObjectStore& store, std::string shard_object, std::uint64_t epoch)
    : store_(store), shard_object_(std::move(shard_object)), epoch_(epoch) {}

Status LargeValues::Store(const LargeValue& large, Bytes value) {
  const std::uint64_t parts = PartsOf(large.size);
  for (std::uint64_t part = 0; part < parts; ++part) {
    MAYFLY_RETURN_IF_ERROR(AwaitWriteObject(
        store_, LargeObjectName(shard_object_, large.id, part),
        std::string(value.substr(part * kPlainObjectBytesMax, kPlainObjectBytesMax))));
  }
  return {};
}

Result<std::string> LargeValues::Load(const LargeValue& large) {
  std::string value;
  const std::uint64_t parts = PartsOf(large.size);
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::string name = LargeObjectName(shard_object_, large.id, part);
    auto bytes = AwaitObject(store_, name);
    if (!bytes && !bytes.error().IsNotFound()) return bytes.error();
    if (!bytes) return Status::Corruption(fmt::format("the object {} of a row is missing", name));
    value += *bytes;
  }
  if (value.size() == large.size) return value;
  return Status::Corruption(fmt::format("the objects {} have {} bytes instead of {}",
                                        LargeObjectName(shard_object_, large.id, 0), value.size(),
                                        large.size));
}

void LargeValues::Remove(const LargeId& id, std::uint64_t parts) {
  struct Progress {
    std::atomic<std::uint64_t> left;
    std::atomic<bool> failed{false};
  };
  const auto progress = std::make_shared<Progress>();
  progress->left = parts;
  for (std::uint64_t part = 0; part < parts; ++part) {
    store_.RemoveObject(LargeObjectName(shard_object_, id, part),
                        [removed = removed_, progress, id](const Status& status) {
                          // What could not be removed stays announced; the next owner finds it.
                          if (!status.ok()) progress->failed = true;
                          if (--progress->left > 0 || progress->failed) return;
                          const std::lock_guard lock(removed->mutex);
                          removed->ids.push_back(id);
                        });
  }
}

std::vector<LargeId> LargeValues::TakeRemoved() {
  const std::lock_guard lock(removed_->mutex);
  return std::exchange(removed_->ids, {});
}

const LargeValue* LargeValues::Find(const std::string& row) const {
  const auto place = rows_.find(row);
  return place == rows_.end() ? nullptr : &place->second;
}

}  // namespace mayfly::engine::cluster
