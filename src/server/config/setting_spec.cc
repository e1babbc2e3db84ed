#include "server/config/setting_spec.h"

#include <array>

#include "base/text.h"
#include "server/command/limits.h"

namespace mayfly::server {
namespace {

using enum SettingUse;

constexpr std::int64_t kPortMax = 65535;
constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// Why a setting has no effect.
constexpr std::string_view kNoRdb =
    "No effect: every commit is in the log, there are no snapshots to a file.";
constexpr std::string_view kNoAof = "No effect: the engine has its own log; see appendfsync.";
constexpr std::string_view kNoReplicas =
    "No effect: following and being followed go on without it.";
constexpr std::string_view kNoCluster =
    "No effect: Redis' own Cluster is not offered; servers share slots by themselves.";
constexpr std::string_view kNoLazyFree =
    "No effect: removing a collection costs the same whatever its size.";
constexpr std::string_view kNoEncodings = "No effect: values are rows; there is nothing to tune.";
constexpr std::string_view kNoHeap = "No effect: values do not live in the heap.";
constexpr std::string_view kNoDaemon = "No effect: the service manager looks after the process.";
constexpr std::string_view kOnlyEncoding = "What OBJECT ENCODING goes by; storage does not.";

enum class Mark : std::uint8_t { kPlain, kHidden, kSecret, kOnlyInitial };
using enum Mark;

constexpr SettingSpec Row(SettingKind kind, std::string_view name, std::string_view initial,
                          SettingUse use, std::string_view summary, Mark mark = kPlain) {
  SettingSpec spec{name, kind, initial, use, summary};
  spec.hidden = mark == kHidden;
  spec.secret = mark == kSecret;
  spec.only_initial = mark == kOnlyInitial;
  return spec;
}
constexpr SettingSpec Row(SettingKind kind, std::string_view name, std::string_view initial,
                          SettingUse use, std::int64_t min, std::int64_t max,
                          std::string_view summary, Mark mark = kPlain) {
  SettingSpec spec = Row(kind, name, initial, use, summary, mark);
  spec.min = min;
  spec.max = max;
  return spec;
}
constexpr SettingSpec Row(SettingKind kind, std::string_view name, std::string_view initial,
                          SettingUse use, std::string_view choices, std::string_view summary) {
  SettingSpec spec = Row(kind, name, initial, use, summary);
  spec.choices = choices;
  return spec;
}

constexpr std::array kSettings = {
#define MAYFLY_SETTING(setting, kind, ...) Row(SettingKind::kind, __VA_ARGS__),
#include "server/config/settings.inc"
};

constexpr std::array<std::string_view, kSettingCount> kEnumerators = {
#define MAYFLY_SETTING(setting, ...) #setting,
#include "server/config/settings.inc"
};

// Whether an enumerator has the letters of its setting's name: kTlsPort and "tls-port".
constexpr bool IsNamedAs(std::string_view enumerator, std::string_view name) {
  constexpr char kToLower = 'a' - 'A';
  enumerator.remove_prefix(1);
  for (const char c : name) {
    if (c == '-') continue;
    if (enumerator.empty() || (enumerator.front() | kToLower) != c) return false;
    enumerator.remove_prefix(1);
  }
  return enumerator.empty();
}

constexpr bool IsTableSound() {
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const SettingSpec& spec = kSettings[i];
    if (!IsNamedAs(kEnumerators[i], spec.name)) return false;
    if ((spec.kind == SettingKind::kChoice) == spec.choices.empty()) return false;
  }
  return true;
}
static_assert(kSettings.size() == kSettingCount && IsTableSound());

// clang-format off
constexpr std::array kAliases = std::to_array<SettingAlias>({
    {"hash-max-ziplist-entries",      Setting::kHashMaxListpackEntries},
    {"hash-max-ziplist-value",        Setting::kHashMaxListpackValue},
    {"list-max-ziplist-size",         Setting::kListMaxListpackSize},
    {"zset-max-ziplist-entries",      Setting::kZsetMaxListpackEntries},
    {"zset-max-ziplist-value",        Setting::kZsetMaxListpackValue},
    {"lua-time-limit",                Setting::kBusyReplyThreshold},
    {"min-slaves-to-write",           Setting::kMinReplicasToWrite},
    {"min-slaves-max-lag",            Setting::kMinReplicasMaxLag},
    {"slaveof",                       Setting::kReplicaOf},
    {"slave-read-only",               Setting::kReplicaReadOnly},
    {"slave-serve-stale-data",        Setting::kReplicaServeStaleData},
    {"slave-priority",                Setting::kReplicaPriority},
    {"slave-announce-ip",             Setting::kReplicaAnnounceIp},
    {"slave-announce-port",           Setting::kReplicaAnnouncePort},
    {"slave-ignore-maxmemory",        Setting::kReplicaIgnoreMaxMemory},
    {"slave-lazy-flush",              Setting::kReplicaLazyFlush},
    {"repl-ping-slave-period",        Setting::kReplPingReplicaPeriod},
    {"cluster-slave-no-failover",     Setting::kClusterReplicaNoFailover},
    {"cluster-slave-validity-factor", Setting::kClusterReplicaValidityFactor},
    {"server_cpulist",                Setting::kServerCpulist},
    {"bio_cpulist",                   Setting::kBioCpulist},
    {"aof_rewrite_cpulist",           Setting::kAofRewriteCpulist},
    {"bgsave_cpulist",                Setting::kBgsaveCpulist},
});
// clang-format on

}  // namespace

std::span<const SettingSpec> AllSettings() { return kSettings; }

const SettingSpec& SpecOf(Setting setting) { return kSettings[IndexOf(setting)]; }

const SettingSpec* FindSetting(std::string_view name) {
  for (const SettingAlias& alias : kAliases) {
    if (EqualsIgnoringCase(name, alias.alias)) return &SpecOf(alias.setting);
  }
  for (const SettingSpec& spec : kSettings) {
    if (EqualsIgnoringCase(name, spec.name)) return &spec;
  }
  return nullptr;
}

std::span<const SettingAlias> SettingAliases() { return kAliases; }

}  // namespace mayfly::server
