// Records copied into a mapped segment.
//   reserve: sequence and place together, by one compare-and-swap
//   copy, many threads at once; the check word is stored last
//   publish, in the order of sequences (publication.h)
// A process that dies between reserve and publish leaves a hole, and whole records behind it;
// nothing behind the hole was acknowledged, and recovery cuts there.
#include <array>
#include <mutex>

#include "base/check.h"
#include "engine/hot/log/appender.h"
#include "engine/hot/log/limits.h"
#include "engine/hot/log/log_place.h"
#include "engine/hot/log/log_syncer.h"
#include "engine/hot/log/publication.h"
#include "engine/hot/log/segment_chain.h"

namespace mayfly::engine::hot {
namespace {

class MappedAppender final : public Appender {
 public:
  MappedAppender(SegmentChain& chain, LogSyncer& syncer, LogTail tail,
                 std::atomic<std::uint64_t>& published)
      : chain_(chain), syncer_(syncer), publication_(published) {
    Activate(tail.segment, 0);
  }

  Result<std::uint64_t> Append(std::span<const Bytes> payloads, std::uint64_t& voided,
                               bool waits) override {
    MAYFLY_TRY(const LogTail place, Reserve(BytesOf(payloads), payloads.size()));
    const bool stored = Copy(payloads, place);
    // From here on the segment may be removed.
    publication_.Complete(place.next_sequence, place.next_sequence + payloads.size() - 1, waits);
    if (stored) return place.next_sequence;
    voided = place.next_sequence;
    return Status::Internal("cannot encrypt a record of the log");
  }

  Status Rotate() override {
    const std::lock_guard rotating(rotating_);
    if (LogPlace::Unpack(place_.load()).records == 0) return {};
    return BeginSegment(0);
  }

 private:
  // The segment of a generation. A reader may find the one of a later generation here; then its
  // swap fails.
  struct Slot {
    std::atomic<Segment*> segment{nullptr};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> first_sequence{0};
  };

  Result<LogTail> Reserve(std::uint64_t bytes, std::size_t records) {
    std::uint64_t word = place_.load(std::memory_order_acquire);
    for (;;) {
      const LogPlace place = LogPlace::Unpack(word);
      const Slot& slot = slots_[place.generation];
      if (word != LogPlace::Closed() && place.end + bytes <= slot.bytes.load()) {
        const LogPlace next = {.generation = place.generation,
                               .records = place.records + records,
                               .end = place.end + bytes};
        if (!place_.compare_exchange_weak(word, next.Pack(), std::memory_order_acq_rel)) continue;
        MAYFLY_CHECK(next.end <= slot.bytes.load(), "a record got a place in another segment");
        return LogTail{.segment = slot.segment.load(),
                       .offset = place.end,
                       .next_sequence = slot.first_sequence.load() + place.records};
      }
      MAYFLY_RETURN_IF_ERROR(MakeRoom(bytes));
      word = place_.load(std::memory_order_acquire);
    }
  }

  Status MakeRoom(std::uint64_t bytes) {
    const std::lock_guard rotating(rotating_);
    const LogPlace place = LogPlace::Unpack(place_.load());
    if (place.end + bytes <= slots_[place.generation].bytes) return {};
    return BeginSegment(bytes);
  }

  // Needs rotating_.
  Status BeginSegment(std::uint64_t bytes) {
    MAYFLY_RETURN_IF_ERROR(chain_.Prepare(bytes));
    // Who looks now waits for rotating_.
    const std::uint64_t word = place_.exchange(LogPlace::Closed(), std::memory_order_acq_rel);
    const LogPlace end = LogPlace::Unpack(word);
    const auto begun =
        chain_.Begin({.first_sequence = slots_[end.generation].first_sequence.load() + end.records,
                      .previous_end = end.end,
                      .durable = syncer_.durable()});
    MAYFLY_CHECK(begun.has_value(), "the header of a mapped segment needs no call that could fail");
    Activate(*begun, (end.generation + 1) % LogPlace::kGenerations);
    // One ahead. If there is no room now, the next segment asks again.
    static_cast<void>(chain_.Prepare(0));
    return {};
  }

  void Activate(Segment* segment, std::uint64_t generation) {
    Slot& slot = slots_[generation];
    slot.segment = segment;
    slot.bytes = segment->bytes();
    slot.first_sequence = segment->first_sequence();
    place_.store(
        LogPlace{.generation = generation, .records = 0, .end = kSegmentHeaderBytes}.Pack(),
        std::memory_order_release);
  }

  // False when a record could not be encrypted: all of them become void then.
  bool Copy(std::span<const Bytes> payloads, const LogTail& place) const {
    const Segment& segment = *place.segment;
    const std::uint64_t durable = syncer_.durable();
    bool stored = true;
    std::uint64_t offset = place.offset;
    for (const Bytes payload : payloads) {
      stored &= segment.Store(offset, payload, segment.mapping() + offset + kRecordHeaderBytes);
      offset += RecordBytes(payload.size());
    }
    // Who comes into a new stretch of pages makes the next one writable.
    const std::uint64_t stretch = (offset - 1) / kPopulateBytes;
    if (place.offset / kPopulateBytes != stretch) {
      segment.file().Populate((stretch + 1) * kPopulateBytes, kPopulateBytes);
    }
    offset = place.offset;
    std::uint64_t sequence = place.next_sequence;
    for (const Bytes payload : payloads) {
      char* const record = segment.mapping() + offset;
      const RecordHeader header = {
          .bytes = static_cast<std::uint32_t>(payload.size()),
          .is_void = !stored,
          .number = static_cast<std::uint32_t>(sequence - segment.first_sequence()),
          .unsynced = UnsyncedCount(sequence, durable)};
      const std::uint32_t check = EncodeRecordHeader(
          header, {record + kRecordHeaderBytes, payload.size()}, segment.seed(), record);
      std::atomic_ref(*reinterpret_cast<std::uint32_t*>(record))
          .store(check, std::memory_order_release);
      offset += RecordBytes(payload.size());
      ++sequence;
    }
    return stored;
  }

  SegmentChain& chain_;
  LogSyncer& syncer_;
  Publication publication_;

  std::mutex rotating_;                              // Held while a segment is made and begun.
  alignas(64) std::atomic<std::uint64_t> place_{0};  // A LogPlace.
  std::array<Slot, LogPlace::kGenerations> slots_;   // Written with rotating_.
};

}  // namespace

std::unique_ptr<Appender> NewMappedAppender(SegmentChain& chain, LogSyncer& syncer, LogTail tail,
                                            std::atomic<std::uint64_t>& published) {
  return std::make_unique<MappedAppender>(chain, syncer, tail, published);
}

}  // namespace mayfly::engine::hot
