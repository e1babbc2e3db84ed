#include "cluster/shard_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/printable.h"
#include "cluster/limits.h"
#include "core/layout/keys.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/limits.h"
#include "engine/cluster/shard/shard_layout.h"

namespace mayfly::cluster {
namespace {

using engine::cluster::LargeId;
using engine::cluster::LargeValue;
using engine::cluster::MapEntry;
using engine::cluster::MapKey;

class ShardLook {
 public:
  ShardLook(engine::cluster::ObjectStore& store, const std::string& object, Bytes find)
      : store_(store), object_(object), find_(find) {}

  Result<server::StoreLook> Run() {
    std::string after = engine::cluster::KeyBeforeRows();
    for (bool more = true; more;) {
      MAYFLY_TRY(const auto page,
                 engine::cluster::AwaitPage(store_, object_, after, engine::cluster::kMapPageMax));
      for (const MapEntry& entry : page.entries) MAYFLY_RETURN_IF_ERROR(Take(entry));
      more = page.more && !page.entries.empty();
      if (more) after = page.entries.back().first;
    }
    look_.large_pending = announced_.size();
    return std::move(look_);
  }

 private:
  // Announcements come before all rows.
  Status Take(const MapEntry& entry) {
    look_.bytes += entry.first.size() + entry.second.size();
    MAYFLY_TRY(const MapKey key, engine::cluster::ParseMapKey(entry.first));
    if (key.announced) {
      announced_.insert(*key.announced);
      return {};
    }
    if (key.at.role == engine::Role::kRows) ++look_.rows;
    if (key.at.role == engine::Role::kExpiry) TakeDeadline(key.key);
    const bool in_key = Has(key.key);
    MAYFLY_TRY(const auto value, engine::cluster::DecodeRowValue(entry.second));
    bool in_value = Has(value.bytes);
    if (value.large) {
      ++look_.large_values;
      announced_.erase(value.large->id);
      MAYFLY_TRY(in_value, IsInLarge(*value.large));
    }
    if (in_key) AddTrace(key, "the key");
    if (in_value) AddTrace(key, value.large ? "the objects of the value" : "the value");
    return {};
  }

  void TakeDeadline(Bytes entry) {
    ++look_.entries;
    const auto view = core::DecodeEntry(entry);
    if (!view) return;
    if (!look_.first_deadline || view->deadline < *look_.first_deadline) {
      look_.first_deadline = view->deadline;
    }
  }

  bool Has(Bytes bytes) const { return !find_.empty() && bytes.find(find_) != Bytes::npos; }

  // Part by part; the bytes may lie across two of them.
  Result<bool> IsInLarge(const LargeValue& large) const {
    if (find_.empty()) return false;
    std::string bytes;
    for (std::uint64_t part = 0; part < engine::cluster::PartsOf(large.size); ++part) {
      auto more = engine::cluster::AwaitObject(
          store_, engine::cluster::LargeObjectName(object_, large.id, part));
      if (!more && more.error().IsNotFound()) return false;  // Removed meanwhile.
      MAYFLY_RETURN_IF_ERROR(more.status());
      bytes.erase(0, bytes.size() - std::min(bytes.size(), find_.size() - 1));
      bytes += *more;
      if (Has(bytes)) return true;
    }
    return false;
  }

  void AddTrace(const MapKey& key, std::string_view what) {
    if (look_.traces.size() == kLookTracesMax) return;
    look_.traces.push_back(fmt::format("{} of {} in the map of {}: {}", what,
                                       engine::RoleName(key.at.role), object_, Printable(key.key)));
  }

  engine::cluster::ObjectStore& store_;
  const std::string& object_;
  const Bytes find_;
  server::StoreLook look_;
  std::set<LargeId> announced_;  // And not named by a row so far.
};

}  // namespace

Result<server::StoreLook> LookInto(engine::cluster::ObjectStore& store, const std::string& object,
                                   Bytes find) {
  return ShardLook(store, object, find).Run();
}

}  // namespace mayfly::cluster
