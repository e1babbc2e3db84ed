#include "server/config/setting_spec.h"

#include <array>

#include "base/text.h"
#include "server/command/limits.h"

namespace mayfly::server {
namespace {

constexpr auto kLive = SettingUse::kLive;
constexpr auto kAtStart = SettingUse::kAtStart;
constexpr auto kNoEffect = SettingUse::kNoEffect;

constexpr std::int64_t kPortMax = 65535;
constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// Why a setting has no effect.
constexpr std::string_view kNoEviction =
    "No effect: rows leave when they die or are deleted, never for memory.";
constexpr std::string_view kNoRdb =
    "No effect: every commit is in the log, there are no snapshots to a file.";
constexpr std::string_view kNoAof = "No effect: the engine has its own log; see appendfsync.";
constexpr std::string_view kNoReplicas = "No effect: Redis' replication is not offered.";
constexpr std::string_view kNoCluster = "No effect: Redis Cluster is not offered.";
constexpr std::string_view kNoLazyFree =
    "No effect: removing a collection costs the same whatever its size.";
constexpr std::string_view kNoEncodings = "No effect: values are rows; there is nothing to tune.";
constexpr std::string_view kNoHeap = "No effect: values do not live in the heap.";
constexpr std::string_view kNoDaemon = "No effect: whoever starts the process looks after it.";
constexpr std::string_view kNoTracking = "No effect: client side caching is not offered.";
constexpr std::string_view kOnlyEncoding = "What OBJECT ENCODING goes by; storage does not.";

constexpr SettingSpec Integer(std::string_view name, std::string_view initial, SettingUse use,
                              std::int64_t min, std::int64_t max, std::string_view summary) {
  return {name, SettingKind::kInteger, initial, use, summary, min, max};
}
constexpr SettingSpec Memory(std::string_view name, std::string_view initial, SettingUse use,
                             std::int64_t min, std::int64_t max, std::string_view summary) {
  return {name, SettingKind::kMemory, initial, use, summary, min, max};
}
constexpr SettingSpec Octal(std::string_view name, std::string_view initial, SettingUse use,
                            std::int64_t max, std::string_view summary) {
  return {name, SettingKind::kOctal, initial, use, summary, 0, max};
}
constexpr SettingSpec Special(SettingKind kind, std::string_view name, std::string_view initial,
                              SettingUse use, std::string_view summary) {
  return {name, kind, initial, use, summary};
}
constexpr SettingSpec Switch(std::string_view name, std::string_view initial, SettingUse use,
                             std::string_view summary) {
  return Special(SettingKind::kBoolean, name, initial, use, summary);
}
constexpr SettingSpec Text(std::string_view name, std::string_view initial, SettingUse use,
                           std::string_view summary) {
  return Special(SettingKind::kText, name, initial, use, summary);
}
constexpr SettingSpec Choice(std::string_view name, std::string_view initial, SettingUse use,
                             std::string_view choices, std::string_view summary) {
  return {name, SettingKind::kChoice, initial, use, summary, 0, 0, choices};
}

constexpr SettingSpec Hidden(SettingSpec spec) {
  spec.hidden = true;
  return spec;
}

constexpr SettingSpec OnlyInitial(SettingSpec spec) {
  spec.only_initial = true;
  return spec;
}

constexpr SettingSpec Secret(std::string_view name, SettingUse use, std::string_view summary) {
  SettingSpec spec = Text(name, "", use, summary);
  spec.secret = true;
  return spec;
}

constexpr std::array kSettings = {
    // Where it listens.
    Text("bind", "127.0.0.1 -::1", kLive,
         "Addresses to listen on; one with '-' in front may be missing."),
    Integer("port", "6379", kLive, 0, kPortMax,
            "The port of the Redis protocol; 0: a free one, which is printed."),
    Text("unixsocket", "", kAtStart, "Also listens on this path."),
    Octal("unixsocketperm", "0", kAtStart, 0777,
          "Permissions of the unix socket; 0: as the system makes it."),
    Integer("tls-port", "0", kLive, 0, kPortMax, "A port that speaks TLS; 0: none."),
    Text("tls-cert-file", "", kLive, "The server's certificate, PEM."),
    Text("tls-key-file", "", kLive, "The private key of the certificate, PEM."),
    Secret("tls-key-file-pass", kLive, "The password of the private key."),
    Text("tls-ca-cert-file", "", kLive, "Who signs the clients' certificates, PEM."),
    Choice("tls-auth-clients", "yes", kLive, "yes|no|optional",
           "Whether clients must show a certificate."),
    Text("tls-protocols", "", kLive,
         "Versions of TLS that are spoken, such as \"TLSv1.2 TLSv1.3\"; empty: these two."),
    Text("tls-ciphers", "", kLive, "Ciphers up to TLS 1.2, in OpenSSL's words; empty: its own."),
    Text("tls-ciphersuites", "", kLive, "Ciphers of TLS 1.3, in OpenSSL's words; empty: its own."),
    Switch("tls-prefer-server-ciphers", "no", kLive,
           "Whether the server's order of ciphers counts, and not the client's."),
    Text("http-bind", "127.0.0.1", kAtStart,
         "The address of HTTP: DynamoDB's operations, /metrics and /health."),
    Integer("http-port", "8000", kAtStart, -1, kPortMax,
            "The port of HTTP; 0: a free one, which is printed; -1: none."),
    Integer("http-threads", "0", kAtStart, 0, kThreadsMax,
            "Threads that answer HTTP; 0: as many as threads, and at least two."),
    Secret("http-keys", kAtStart,
           "Who may use DynamoDB's operations, as ID:SECRET, with commas between them; empty: "
           "everybody who reaches a loopback address, and nobody else."),
    Integer("tcp-backlog", "511", kAtStart, 1, kIntMax,
            "Connections the system may hold for us to accept."),
    Integer("threads", "0", kAtStart, 0, kThreadsMax,
            "Threads that serve clients; 0: one per core."),

    // What it serves.
    Text("dir", "", kAtStart, "The folder of the database; empty: in memory."),
    Text("encryption-key-file", "", kAtStart,
         "A file with the password of an encrypted database; one that is made is encrypted then. "
         "Empty: not encrypted."),
    Integer("backups-keep", "2", kLive, 1, kIntMax,
            "Backups of BGSAVE that are kept, in the folder backups within dir; older ones go."),
    Integer("databases", "16", kAtStart, 1, kDatabasesMax,
            "How many databases SELECT can choose from."),
    Choice("memory-profile", "server", kAtStart, "tiny|default|server",
           "How much memory the engine's buffers may take."),
    Choice("appendfsync", "everysec", kLive, "everysec|always|no",
           "When commits reach the disk: every second, before their replies, or when the system "
           "likes."),
    Integer(
        "disk-reserve", "67108864", kAtStart, 0, kInt64Max,
        "Bytes set aside, at most a quarter of the disk, for deletes and purges when it is full; "
        "0: none."),
    Switch("reaper", "yes", kAtStart, "Whether dead rows are purged as they die."),
    Integer("events-keep", "1000000", kLive, 1, kInt64Max,
            "Expiry events that are kept for TTL.EVENTS; older ones are trimmed."),
    Integer("events-keep-ms", "0", kLive, 0, kInt64Max,
            "Milliseconds for which expiry events are kept; 0: however old."),
    Integer("clock-jump-max", "43200000", kAtStart, 0, kInt64Max,
            "Milliseconds the clock may jump ahead in sum before nothing is purged until TTL.CLOCK "
            "settles it."),

    // The process.
    Switch("daemonize", "no", kAtStart,
           "Whether it goes to the background; not where it is supervised."),
    Choice("supervised", "no", kAtStart, "no|systemd|auto",
           "Who is told when it is ready: systemd, if it asks to be (auto), or nobody."),
    Text("pidfile", "", kAtStart, "The file its process id is written to while it runs."),
    Text("logfile", "", kAtStart,
         "The file log lines are added to; empty: standard error. It may be moved away."),

    // Clients.
    Integer("maxclients", "10000", kLive, 1, kIntMax, "Connections at a time."),
    Integer("timeout", "0", kLive, 0, kIntMax,
            "Seconds after which an idle client is let go; 0: never."),
    Integer("tcp-keepalive", "300", kLive, 0, kIntMax,
            "Seconds between probes of a silent client; 0: none."),
    Special(SettingKind::kOutputLimits, "client-output-buffer-limit",
            "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", kLive,
            "Bytes that may wait for a client: at once, and for so many seconds."),
    Memory("client-query-buffer-limit", "1073741824", kLive, kMiB, kInt64Max,
           "Bytes one command may have; a change holds for clients that come after it."),
    Memory("proto-max-bulk-len", "536870912", kLive, kMiB, kInt64Max,
           "Bytes one argument may have; a change holds for clients that come after it."),

    // Safety.
    Switch("protected-mode", "yes", kLive,
           "Without a password, only clients of this machine are served."),
    Secret("requirepass", kLive, "The password of the default user."),
    Text("aclfile", "", kAtStart, "The file users are read from, and written to by ACL SAVE."),
    Integer("acllog-max-len", "128", kLive, 0, kInt64Max, "Refusals that ACL LOG keeps."),
    Choice("acl-pubsub-default", "resetchannels", kLive, "allchannels|resetchannels",
           "The channels of new users."),
    Choice("enable-debug-command", "no", kAtStart, "no|yes|local", "Who may use DEBUG."),
    Integer("busy-reply-threshold", "5000", kLive, 0, kInt64Max,
            "Milliseconds after which a script can be killed."),
    Memory("lua-memory-max", "134217728", kAtStart, kMiB, kInt64Max,
           "Bytes of memory that a script may take, with its reply. Scripts on different keys run "
           "at once, one on each thread at most."),
    Memory("script-write-max", "268435456", kLive, kMiB, kInt64Max,
           "Bytes of memory that the writes of a script may take until it ends; past it the script "
           "ends with an error and is taken back."),

    // Watching it.
    Special(SettingKind::kNotify, "notify-keyspace-events", "", kLive,
            "Keyspace notifications that are published, as letters: KEA is all of them; a "
            "transaction cannot change it."),
    Integer("slowlog-log-slower-than", "10000", kLive, -1, kInt64Max,
            "Microseconds above which SLOWLOG notes a command; -1: none."),
    Integer("slowlog-max-len", "128", kLive, 0, kInt64Max, "How many commands SLOWLOG keeps."),
    Integer("latency-monitor-threshold", "0", kLive, 0, kInt64Max,
            "Milliseconds above which LATENCY notes an event; 0: none."),
    Switch("latency-tracking", "yes", kLive, "Whether INFO latencystats has percentiles."),
    Special(SettingKind::kPercentiles, "latency-tracking-info-percentiles", "50 99 99.9", kLive,
            "The percentiles INFO latencystats has."),
    Choice("loglevel", "notice", kLive, "debug|verbose|notice|warning|nothing",
           "The least important lines that are logged."),

    // What OBJECT ENCODING answers.
    Integer("hash-max-listpack-entries", "512", kLive, 0, kInt64Max, kOnlyEncoding),
    Memory("hash-max-listpack-value", "64", kLive, 0, kInt64Max, kOnlyEncoding),
    Integer("list-max-listpack-size", "-2", kLive, -kIntMax - 1, kIntMax, kOnlyEncoding),
    Integer("set-max-intset-entries", "512", kLive, 0, kInt64Max, kOnlyEncoding),
    Integer("set-max-listpack-entries", "128", kLive, 0, kInt64Max, kOnlyEncoding),
    Memory("set-max-listpack-value", "64", kLive, 0, kInt64Max, kOnlyEncoding),
    Integer("zset-max-listpack-entries", "128", kLive, 0, kInt64Max, kOnlyEncoding),
    Memory("zset-max-listpack-value", "64", kLive, 0, kInt64Max, kOnlyEncoding),

    // Names of Redis without an effect here.
    Memory("maxmemory", "0", kNoEffect, 0, kInt64Max,
           "No effect: it bounds nothing yet. Rows are on disk, and leave when they die or are "
           "deleted, never for memory; see memory-profile."),
    Choice("maxmemory-policy", "noeviction", kNoEffect, "noeviction", kNoEviction),
    Integer("maxmemory-samples", "5", kNoEffect, 1, kIntMax, kNoEviction),
    Special(SettingKind::kMemoryOrPercent, "maxmemory-clients", "0", kNoEffect,
            "No effect: bounds are per client."),
    Integer("maxmemory-eviction-tenacity", "10", kNoEffect, 0, 100, kNoEviction),
    Integer("lfu-log-factor", "10", kNoEffect, 0, kIntMax, kNoEviction),
    Integer("lfu-decay-time", "1", kNoEffect, 0, kIntMax, kNoEviction),
    Switch("lazyfree-lazy-eviction", "no", kNoEffect, kNoLazyFree),
    Switch("lazyfree-lazy-expire", "no", kNoEffect, kNoLazyFree),
    Switch("lazyfree-lazy-server-del", "no", kNoEffect, kNoLazyFree),
    Switch("lazyfree-lazy-user-del", "no", kNoEffect, kNoLazyFree),
    Switch("lazyfree-lazy-user-flush", "no", kNoEffect, kNoLazyFree),
    Integer("active-expire-effort", "1", kNoEffect, 1, 10,
            "No effect: the reaper knows what is due and samples nothing."),
    Text("save", "", kNoEffect, kNoRdb),
    Text("dbfilename", "dump.rdb", kNoEffect, kNoRdb),
    Switch("rdbcompression", "yes", kNoEffect, kNoRdb),
    Switch("rdbchecksum", "yes", kNoEffect, kNoRdb),
    Switch("rdb-del-sync-files", "no", kNoEffect, kNoRdb),
    Switch("rdb-save-incremental-fsync", "yes", kNoEffect, kNoRdb),
    Hidden(Integer("rdb-key-save-delay", "0", kNoEffect, -kIntMax, kIntMax, kNoRdb)),
    Hidden(Integer("key-load-delay", "0", kNoEffect, -kIntMax, kIntMax, kNoRdb)),
    Switch("stop-writes-on-bgsave-error", "yes", kNoEffect, kNoRdb),
    Choice("sanitize-dump-payload", "yes", kNoEffect, "no|yes|clients",
           "No effect: RESTORE always looks at every byte."),
    Switch("appendonly", "yes", kNoEffect, kNoAof),
    Text("appendfilename", "appendonly.aof", kNoEffect, kNoAof),
    Text("appenddirname", "appendonlydir", kNoEffect, kNoAof),
    Switch("no-appendfsync-on-rewrite", "no", kNoEffect, kNoAof),
    Integer("auto-aof-rewrite-percentage", "100", kNoEffect, 0, kIntMax, kNoAof),
    Memory("auto-aof-rewrite-min-size", "67108864", kNoEffect, 0, kInt64Max, kNoAof),
    Switch("aof-load-truncated", "yes", kNoEffect, kNoAof),
    Switch("aof-use-rdb-preamble", "yes", kNoEffect, kNoAof),
    Switch("aof-rewrite-incremental-fsync", "yes", kNoEffect, kNoAof),
    Switch("aof-timestamp-enabled", "no", kNoEffect, kNoAof),
    Integer("hz", "10", kNoEffect, 1, 500, "No effect: nothing is polled."),
    Switch("dynamic-hz", "yes", kNoEffect, "No effect: nothing is polled."),
    Switch("activerehashing", "yes", kNoEffect, kNoHeap),
    Switch("activedefrag", "no", kNoEffect, kNoHeap),
    Switch("jemalloc-bg-thread", "yes", kNoEffect, kNoHeap),
    Integer("list-compress-depth", "0", kNoEffect, 0, kIntMax, kNoEncodings),
    Memory("hll-sparse-max-bytes", "3000", kNoEffect, 0, kInt64Max,
           "No effect: HyperLogLog is not offered."),
    Memory("stream-node-max-bytes", "4096", kNoEffect, 0, kInt64Max,
           "No effect: streams are not offered."),
    Integer("stream-node-max-entries", "100", kNoEffect, 0, kInt64Max,
            "No effect: streams are not offered."),
    Integer("tracking-table-max-keys", "1000000", kNoEffect, 0, kInt64Max, kNoTracking),
    OnlyInitial(Text("replicaof", "", kAtStart, kNoReplicas)),
    Switch("replica-read-only", "yes", kNoEffect, kNoReplicas),
    Switch("replica-serve-stale-data", "yes", kNoEffect, kNoReplicas),
    Integer("replica-priority", "100", kNoEffect, 0, kIntMax, kNoReplicas),
    Text("replica-announce-ip", "", kNoEffect, kNoReplicas),
    Integer("replica-announce-port", "0", kNoEffect, 0, kPortMax, kNoReplicas),
    Switch("replica-ignore-maxmemory", "yes", kNoEffect, kNoReplicas),
    Switch("replica-lazy-flush", "no", kNoEffect, kNoReplicas),
    Integer("repl-timeout", "60", kNoEffect, 1, kIntMax, kNoReplicas),
    Integer("repl-ping-replica-period", "10", kNoEffect, 1, kIntMax, kNoReplicas),
    Memory("repl-backlog-size", "1048576", kNoEffect, 1, kInt64Max, kNoReplicas),
    Integer("repl-backlog-ttl", "3600", kNoEffect, 0, kIntMax, kNoReplicas),
    Switch("repl-diskless-sync", "yes", kNoEffect, kNoReplicas),
    Integer("repl-diskless-sync-delay", "5", kNoEffect, 0, kIntMax, kNoReplicas),
    Integer("repl-diskless-sync-max-replicas", "0", kNoEffect, 0, kIntMax, kNoReplicas),
    Choice("repl-diskless-load", "disabled", kNoEffect, "disabled|on-empty-db|swapdb", kNoReplicas),
    Switch("repl-disable-tcp-nodelay", "no", kNoEffect, kNoReplicas),
    Integer("min-replicas-to-write", "0", kNoEffect, 0, kIntMax, kNoReplicas),
    Integer("min-replicas-max-lag", "10", kNoEffect, 0, kIntMax, kNoReplicas),
    Secret("masterauth", kNoEffect, kNoReplicas),
    Secret("masteruser", kNoEffect, kNoReplicas),
    OnlyInitial(Switch("cluster-enabled", "no", kAtStart, kNoCluster)),
    Integer("cluster-node-timeout", "15000", kNoEffect, 0, kInt64Max, kNoCluster),
    Switch("cluster-require-full-coverage", "yes", kNoEffect, kNoCluster),
    Integer("io-threads", "1", kAtStart, 1, 128, "No effect: see threads."),
    Switch("always-show-logo", "no", kAtStart, "No effect: there is none."),
    Switch("set-proc-title", "yes", kAtStart, kNoDaemon),
    Switch("crash-log-enabled", "yes", kNoEffect, kNoDaemon),
    Text("proc-title-template", "{title} {listen-addr} {server-mode}", kNoEffect, kNoDaemon),
    Switch("disable-thp", "yes", kNoEffect, kNoDaemon),
    Text("oom-score-adj-values", "0 200 800", kNoEffect, kNoDaemon),
    Choice("oom-score-adj", "no", kNoEffect, "no|yes|relative|absolute", kNoDaemon),
    Choice("propagation-error-behavior", "ignore", kNoEffect, "ignore|panic|panic-on-replicas",
           kNoReplicas),
};

// clang-format off
constexpr std::array kAliases = std::to_array<SettingAlias>({
    {"hash-max-ziplist-entries", "hash-max-listpack-entries"},
    {"hash-max-ziplist-value",   "hash-max-listpack-value"},
    {"list-max-ziplist-size",    "list-max-listpack-size"},
    {"zset-max-ziplist-entries", "zset-max-listpack-entries"},
    {"zset-max-ziplist-value",   "zset-max-listpack-value"},
    {"lua-time-limit",           "busy-reply-threshold"},
    {"min-slaves-to-write",      "min-replicas-to-write"},
    {"min-slaves-max-lag",       "min-replicas-max-lag"},
    {"slaveof",                  "replicaof"},
    {"slave-read-only",          "replica-read-only"},
    {"slave-serve-stale-data",   "replica-serve-stale-data"},
    {"slave-priority",           "replica-priority"},
});
// clang-format on

}  // namespace

std::span<const SettingSpec> AllSettings() { return kSettings; }

const SettingSpec* FindSetting(std::string_view name) {
  for (const SettingAlias& alias : kAliases) {
    if (EqualsIgnoringCase(name, alias.alias)) name = alias.name;
  }
  for (const SettingSpec& spec : kSettings) {
    if (EqualsIgnoringCase(name, spec.name)) return &spec;
  }
  return nullptr;
}

std::span<const SettingAlias> SettingAliases() { return kAliases; }

}  // namespace mayfly::server
