// mayfly as programs use it: the library, with what it adds to its engine.
#include "mayfly/database.h"
#include "must.h"
#include "peer.h"

namespace mayfly::bench {
namespace {

constexpr std::uint64_t kLibraryMemory = std::uint64_t{4} << 30;
constexpr WallTime kLibraryStart = WallTime(std::chrono::hours(24 * 365 * 50));
constexpr std::chrono::hours kDeadlinesEnd{2};

class LibraryPeer final : public Peer {
 public:
  explicit LibraryPeer(const std::string& directory)
      : clock_(kLibraryStart),
        database_(Must(Database::Open(
            {.directory = directory, .memory_rows_bytes_max = kLibraryMemory, .clock = &clock_}))),
        rows_(database_->default_keyspace()) {}

  void Put(Bytes key, Bytes value) override { Must(rows_.Put(key, value)); }

  // The comparison's deadlines are numbers from 1 on: here milliseconds after the start.
  void PutUntil(Bytes key, Bytes value, std::uint64_t deadline) override {
    const Millis after(static_cast<std::int64_t>(deadline));
    Must(after < kDeadlinesEnd, "more deadlines than milliseconds");
    Must(rows_.Put(key, value, Lifetime::Until(kLibraryStart + after)));
  }

  void Delete(Bytes key) override { Must(rows_.Delete(key)); }

  bool Get(Bytes key) override {
    thread_local PinnedBytes value;
    const Status status = rows_.Get(key, value);
    if (!status.ok() && !status.IsNotFound()) Must(status);
    return status.ok();
  }

  std::size_t Scan(Bytes start, std::size_t rows) override {
    const auto cursor = Must(rows_.NewCursor());
    cursor->SeekAtOrAfter(start);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (!cursor->Valid()) cursor->SeekToFirst();
      bytes += SeenOf(cursor->key(), cursor->value());
      cursor->Next();
    }
    Must(cursor->status());
    return bytes;
  }

  // All deadlines have passed; the database knows by itself which.
  std::size_t Purge(std::uint64_t /*now*/, std::size_t rows_max) override {
    if (clock_.Now() == kLibraryStart) clock_.Advance(kDeadlinesEnd);
    return static_cast<std::size_t>(Must(database_->Purge({.rows_max = rows_max})).rows);
  }

 private:
  ManualClock clock_;
  std::unique_ptr<Database> database_;
  Keyspace& rows_;
};

}  // namespace

std::unique_ptr<Peer> NewLibraryPeer(const std::string& directory) {
  return std::make_unique<LibraryPeer>(directory);
}

}  // namespace mayfly::bench
