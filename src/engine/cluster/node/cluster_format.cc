#include "engine/cluster/node/cluster_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/ownership/limits.h"

namespace mayfly::engine::cluster {
namespace {

constexpr char kVersion = 1;
constexpr const char* kFormatKey = "format";
constexpr std::size_t kNameBytesMax = 64;

std::uint64_t MillisOf(Nanos length) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(length).count());
}

ClusterFormat NewFormat(const FormatRequest& request) {
  const OwnershipOptions& ownership = request.ownership;
  return {.shards = request.shards != 0 ? request.shards : kShardsDefault,
          .shards_per_group = request.shards_per_group != 0 ? request.shards_per_group : 1,
          .roster_pages = ownership.roster_pages,
          .lease_ms = MillisOf(ownership.lease),
          .wait_ms = MillisOf(ownership.takeover_wait),
          .drift_ppm = ownership.drift_bound_ppm};
}

Status Differs(const std::string& database, const char* what, std::uint64_t stored,
               std::uint64_t wanted) {
  return Status::Invalid(fmt::format(
      "the database {} was created with {} {}, and this server asks for {}; give all servers the "
      "same, or leave it out",
      database, what, stored, wanted));
}

Status CheckAgainst(const FormatRequest& request, const ClusterFormat& found) {
  ClusterFormat wanted = NewFormat(request);
  if (request.shards == 0) wanted.shards = found.shards;
  if (request.shards_per_group == 0) wanted.shards_per_group = found.shards_per_group;
  const struct {
    const char* what;
    std::uint64_t stored;
    std::uint64_t wanted;
  } fields[] = {{"a number of shards of", found.shards, wanted.shards},
                {"shards per group of", found.shards_per_group, wanted.shards_per_group},
                {"roster pages of", found.roster_pages, wanted.roster_pages},
                {"a lease in ms of", found.lease_ms, wanted.lease_ms},
                {"a takeover wait in ms of", found.wait_ms, wanted.wait_ms},
                {"a bound on drift in ppm of", found.drift_ppm, wanted.drift_ppm}};
  for (const auto& field : fields) {
    if (field.stored != field.wanted) {
      return Differs(request.database, field.what, field.stored, field.wanted);
    }
  }
  return {};
}

}  // namespace

std::string Encode(const ClusterFormat& format) {
  std::string bytes(1, kVersion);
  for (const std::uint64_t number :
       {std::uint64_t{format.shards}, std::uint64_t{format.shards_per_group},
        std::uint64_t{format.roster_pages}, format.lease_ms, format.wait_ms, format.drift_ppm}) {
    AppendVarint(bytes, number);
  }
  return bytes;
}

Result<ClusterFormat> DecodeClusterFormat(Bytes bytes) {
  if (bytes.empty()) return Status::Corruption("the format of the database is empty");
  if (bytes.front() != kVersion) {
    return Status::Unsupported(fmt::format(
        "the database has format {} on the cluster, and this build knows {}; use a newer mayfly",
        static_cast<int>(bytes.front()), static_cast<int>(kVersion)));
  }
  bytes.remove_prefix(1);
  std::uint64_t shards = 0;
  std::uint64_t per_group = 0;
  std::uint64_t pages = 0;
  ClusterFormat format;
  if (!EatVarint(bytes, shards) || !EatVarint(bytes, per_group) || !EatVarint(bytes, pages) ||
      !EatVarint(bytes, format.lease_ms) || !EatVarint(bytes, format.wait_ms) ||
      !EatVarint(bytes, format.drift_ppm) || !bytes.empty() || shards > kShardsMax ||
      per_group > kShardsMax || pages == 0 || pages > kRosterPagesMax) {
    return Status::Corruption("the format of the database on the cluster is damaged");
  }
  format.shards = static_cast<std::uint32_t>(shards);
  format.shards_per_group = static_cast<std::uint32_t>(per_group);
  format.roster_pages = static_cast<std::uint32_t>(pages);
  return format;
}

Status CheckDatabaseName(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kNameBytesMax &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '-' || c == '_';
                    });
  if (good) return {};
  return Status::Invalid(fmt::format(
      "'{}' is no name of a database on a cluster; use 1 to {} letters, digits, '-' and '_'", name,
      kNameBytesMax));
}

std::string MetaObject(const std::string& database) { return database + ".meta"; }
std::string RosterObject(const std::string& database, std::uint32_t page) {
  return fmt::format("{}.roster.{}", database, page);
}
std::string ShardObject(const std::string& database, ShardId shard) {
  return fmt::format("{}.shard.{}", database, shard);
}

Result<ClusterFormat> OpenFormat(ObjectStore& store, const FormatRequest& request) {
  MAYFLY_RETURN_IF_ERROR(CheckDatabaseName(request.database));
  const std::string object = MetaObject(request.database);
  for (bool created = false;;) {
    MAYFLY_TRY(const auto values, AwaitKeys(store, object, {kFormatKey}));
    if (!values[0].empty()) {
      MAYFLY_TRY(const ClusterFormat found, DecodeClusterFormat(values[0]));
      MAYFLY_RETURN_IF_ERROR(CheckAgainst(request, found));
      return found;
    }
    if (!request.create_if_missing) {
      return Status::NotFound(
          fmt::format("there is no database {} in {}", request.database, store.name()));
    }
    if (created) {
      return Status::Corruption(fmt::format("{} is gone after it was written", object));
    }
    const ClusterFormat format = NewFormat(request);
    MAYFLY_TRY([[maybe_unused]] const ShardMap map,
               ShardMap::Make(format.shards, format.shards_per_group));
    const Status written = AwaitWrite(
        store, object,
        std::make_shared<const MapWrite>(MapWrite{.conditions = {{kFormatKey, ""}},
                                                  .removals = {},
                                                  .sets = {{kFormatKey, Encode(format)}}}));
    // Conflict: another server was faster.
    if (!written.ok() && written.code() != StatusCode::kConflict) return written;
    created = true;
  }
}

}  // namespace mayfly::engine::cluster
