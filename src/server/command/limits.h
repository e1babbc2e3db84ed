// limits.h - the bounds on what a client can make the server do or hold at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace mayfly::server {

// Commands of a pipeline that share one transaction. More: fewer log writes under load, and keys
// are latched for longer.
inline constexpr std::size_t kBatchCommandsMax = 64;

// Room for one read of a socket, and the most that is read from a client that waits.
inline constexpr std::size_t kReadBytesMin = std::size_t{16} * 1024;

// An input buffer above this gives its memory back once its commands have run.
inline constexpr std::size_t kInputBytesKept = std::size_t{1024} * 1024;

// The input buffer of a client silent for this long is freed altogether; that of another client, at
// the next check, if it is above the second bound and less than half used.
inline constexpr std::chrono::seconds kInputIdleTime{2};
inline constexpr std::size_t kInputBytesUsual = std::size_t{32} * 1024;
static_assert(kReadBytesMin < kInputBytesUsual && kInputBytesUsual < kInputBytesKept);

// Arguments of a client's pipeline that memory is kept for.
inline constexpr std::size_t kPipelineArgsKept = 4096;

// An output buffer above this gives its memory back once it is sent.
inline constexpr std::size_t kOutputBytesKept = std::size_t{64} * 1024;

// A pipeline rests while this much waits to be sent, and a batch ends when its replies pass it: a
// client that does not read its replies makes the server hold at most this and one reply.
inline constexpr std::size_t kOutputBytesBeforeRest = std::size_t{4} * 1024 * 1024;

// A pipeline that has run for so long lets the other clients of its thread have their turns, and a
// batch ends there. Less: more transactions for the same commands.
inline constexpr std::chrono::milliseconds kTurnTime{5};

// Addresses and users whose clients are known to speak cluster; the rest shows it by connection.
// The oldest are forgotten when there are more, and all when nothing was heard of them for so long.
inline constexpr std::size_t kClusterAskersMax = 4096;
inline constexpr std::chrono::minutes kClusterAskerKept{60};

// How often a command looks that waits for a shard without an owner.
inline constexpr std::chrono::milliseconds kShardLookInterval{2};

// Shards that one call of a paged command visits, while it finds less than was asked for.
inline constexpr std::size_t kShardsPerPage = 128;

// A job over all shards of a cluster: how long it looks for a shard that cannot be asked, which a
// takeover's ten seconds should not end; how long it waits for one report, and how often it looks.
inline constexpr std::chrono::seconds kShardLookPatience{30};
inline constexpr std::chrono::seconds kShardLookMax{60};
inline constexpr std::chrono::milliseconds kShardLookPause{20};

// Lines of a list in a report that is merged of those of shards.
inline constexpr std::size_t kMergedLinesMax = 1000;

inline constexpr int kDatabasesMax = 10'000;
inline constexpr int kThreadsMax = 256;

// Jobs that wait and run at a time, and how many ended ones can still be queried.
inline constexpr std::size_t kJobsWaitingMax = 4;
inline constexpr std::size_t kJobsKept = 16;

// Lines of TTL.BACKUPS.
inline constexpr std::size_t kBackupsListedMax = 1000;

// DEBUG POPULATE.
inline constexpr std::int64_t kPopulateKeysMax = 100'000'000;
inline constexpr std::int64_t kPopulateBytesMax = std::int64_t{64} << 20;

// What a database counts for beside its data, to maxmemory: about its record. So an empty one is above
// a limit of 1 byte, which tests set to see commands refused.
inline constexpr std::int64_t kDatabaseBytes = 64;

// Rows that are evicted with one commit; rows that the hand reads at a time, and passes at most to
// find them, times maxmemory-samples.
inline constexpr std::size_t kVictimsMax = 16;
inline constexpr std::size_t kHandPageRows = 64;
inline constexpr std::uint64_t kRowsPassedMax = 32;

// Dead rows and members of collections that are gone which are removed before rows are evicted, at a
// time.
inline constexpr std::uint64_t kLeftoversMax = 512;

// Searches for rows to evict that find only rows which others change meanwhile.
inline constexpr int kFruitlessMax = 64;

// How often a command that nothing may be evicted for looks for dead rows to remove; and how often
// the thread of evictions looks.
inline constexpr std::chrono::milliseconds kLeftoversInterval{100};
inline constexpr std::chrono::milliseconds kEvictionInterval{100};

// How long CONFIG SET waits for the data to be counted.
inline constexpr std::chrono::seconds kCountPatience{2};

// Keys whose use is noted, for the policies LRU and LFU: 8 bytes each.
inline constexpr std::uint64_t kAccessEntriesMin = std::uint64_t{1} << 12;
inline constexpr std::uint64_t kAccessEntriesMax = std::uint64_t{1} << 22;

inline constexpr std::size_t kSlowlogArgsMax = 32;
inline constexpr std::size_t kSlowlogArgBytesMax = 128;
inline constexpr std::size_t kLatencySamplesMax = 160;  // Per event, as Redis keeps them.
inline constexpr std::size_t kErrorKindsMax = 128;      // Of INFO errorstats.
inline constexpr std::size_t kErrorWordBytesMax = 64;   // Of each: scripts make up words.

// How often a warning that clients can bring about is logged.
inline constexpr std::chrono::milliseconds kWarningInterval{60'000};

// Bytes of messages and lines of MONITOR posted to a client's thread, which may be busy. A client
// with more is closed.
inline constexpr std::size_t kPostedBytesMax = std::size_t{64} * 1024 * 1024;

// How many of them are written at once, while other clients of the thread wait.
inline constexpr std::size_t kMessagesPerTurn = 256;

// Replies of one transaction. A transaction with more fails and has no effect.
inline constexpr std::size_t kTransactionReplyBytesMax = std::size_t{512} * 1024 * 1024;

// How often idle clients and full output buffers are checked for.
inline constexpr std::chrono::milliseconds kLookInterval{250};

// A wait longer than this ends nevertheless: clocks count nanoseconds, and overflow.
inline constexpr std::chrono::hours kWaitMax{24 * 365 * 100};

// How often expiry events are trimmed; how many in one step, since new ones wait for it; and how
// many steps at a time, since commits are to be made durable in between.
inline constexpr std::chrono::seconds kEventTrimInterval{10};
inline constexpr std::uint64_t kEventTrimStep = 1000;
inline constexpr int kEventTrimSteps = 1000;

// How long a client may take to agree on TLS.
inline constexpr std::chrono::seconds kHandshakeTime{30};

// How long accepting rests when the machine refuses, for example for want of descriptors; and how
// many descriptors are needed beside those of clients.
inline constexpr std::chrono::milliseconds kAcceptRest{100};
inline constexpr std::uint64_t kOwnDescriptors = 1024;

// How often a client that asked for other addresses checks whether the server stops instead.
inline constexpr std::chrono::milliseconds kReopenLook{10};

// How long a stopping server waits for clients to take their last replies.
inline constexpr std::chrono::milliseconds kFarewellTime{1000};

// A thread waits this long for a script to end, counted from the script's start, before it puts the
// session off: less is wasted effort when scripts are short, more holds up its other clients.
inline constexpr std::chrono::milliseconds kScriptShortTime{1};

// A script that has run for so long lets its thread serve other clients, and then every so often.
inline constexpr std::chrono::milliseconds kScriptAloneTime{10};
inline constexpr std::chrono::milliseconds kScriptServiceInterval{1};
static_assert(kScriptShortTime < kScriptAloneTime);

}  // namespace mayfly::server
