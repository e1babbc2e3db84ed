// mayfly's engines as peers, and the bytes of deadlines.
#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstring>

#include "engine/hot/hot_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "must.h"
#include "peer.h"

namespace mayfly::bench {
namespace {

using engine::Address;
using engine::Role;

constexpr Address kPeerRows{.role = Role::kRows};
constexpr Address kPeerExpiry{.role = Role::kExpiry};

class EnginePeer final : public Peer {
 public:
  explicit EnginePeer(std::unique_ptr<engine::Engine> engine) : engine_(std::move(engine)) {}

  // By several threads, so that batch and value are of the thread.
  void Put(Bytes key, Bytes value) override {
    thread_local engine::Batch batch;
    batch.Clear();
    batch.Put(kPeerRows, key, value);
    Must(engine_->Commit(batch));
  }
  bool Get(Bytes key) override {
    thread_local PinnedBytes value;
    const Status status = engine_->Get(kPeerRows, key, value);
    if (!status.ok() && !status.IsNotFound()) Must(status);
    return status.ok();
  }

  void PutUntil(Bytes key, Bytes value, std::uint64_t deadline) override {
    const std::string at = DeadlineBytes(deadline);
    batch_.Clear();
    batch_.Put(kPeerRows, key, at + std::string(value));
    batch_.Put(kPeerExpiry, at + std::string(key), "");
    Must(engine_->Commit(batch_));
  }

  void Delete(Bytes key) override {
    batch_.Clear();
    batch_.Delete(kPeerRows, key);
    Must(engine_->Commit(batch_));
  }

  std::size_t Scan(Bytes start, std::size_t rows) override {
    const auto cursor = Must(engine_->NewCursor(kPeerRows));
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

  std::size_t Purge(std::uint64_t now, std::size_t rows_max) override {
    std::size_t gone = 0;
    const auto entry = Must(engine_->NewCursor(kPeerExpiry));
    entry->SeekToFirst();
    for (bool more = true; more && gone < rows_max;) {
      batch_.Clear();
      for (std::size_t i = 0; i < kPurgeBatchRows && gone < rows_max; ++i, entry->Next()) {
        more = entry->Valid() && DeadlineOf(entry->key()) <= now;
        if (!more) break;
        const Bytes key = entry->key().substr(8);
        Must(engine_->Get(kPeerRows, key, value_));
        if (DeadlineOf(value_.view()) == DeadlineOf(entry->key())) {
          batch_.Delete(kPeerRows, key);
          ++gone;
        }
        batch_.Delete(kPeerExpiry, entry->key());
      }
      Must(engine_->Commit(batch_));
    }
    return gone;
  }

 private:
  const std::unique_ptr<engine::Engine> engine_;
  engine::Batch batch_;
  PinnedBytes value_;
};

}  // namespace

std::unique_ptr<Peer> NewRocksEnginePeer(const std::string& directory) {
  return std::make_unique<EnginePeer>(Must(engine::OpenRocksEngine({.directory = directory})));
}

std::unique_ptr<Peer> NewHotEnginePeer(const std::string& directory,
                                       std::uint64_t memory_bytes_max) {
  engine::HotOptions options;
  options.memory_bytes_max = memory_bytes_max;
  if (memory_bytes_max != 0) {
    // As the library's profiles have them.
    options.log_bytes_max = memory_bytes_max / 4;
    options.segment_bytes = std::max(memory_bytes_max / 32, std::uint64_t{1} << 20);
  }
  return std::make_unique<EnginePeer>(
      Must(engine::OpenHotEngine({.directory = directory}, options)));
}

std::string DeadlineBytes(std::uint64_t deadline) {
  const std::uint64_t big = boost::endian::native_to_big(deadline);
  return {reinterpret_cast<const char*>(&big), sizeof(big)};
}

std::uint64_t DeadlineOf(std::string_view bytes) {
  Must(bytes.size() >= sizeof(std::uint64_t), "a row without a deadline");
  std::uint64_t big = 0;
  std::memcpy(&big, bytes.data(), sizeof(big));
  return boost::endian::big_to_native(big);
}

}  // namespace mayfly::bench
