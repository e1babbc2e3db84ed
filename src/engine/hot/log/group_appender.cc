// One write for all records that arrive together.
// The first caller leads: it takes everything that waits, writes it, and hands the lead to the
// first of those that came meanwhile. Who waits spins for about as long as a write takes, then
// sleeps.
// A failed write may have left any part of its records, whole ones too. Its place is given up: the
// next segment begins, and its header says that this one ended before the failed write. The header
// is synced before the error is returned, so that no power cut brings a failed record back.
#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "engine/hot/log/appender.h"
#include "engine/hot/log/limits.h"
#include "engine/hot/log/log_syncer.h"
#include "engine/hot/log/segment_chain.h"

namespace mayfly::engine::hot {
namespace {

// How often a caller looks for its result before it sleeps: a few microseconds.
constexpr int kLooksMax = 1000;

class GroupAppender final : public Appender {
 public:
  GroupAppender(SegmentChain& chain, LogSyncer& syncer, LogTail tail,
                std::atomic<std::uint64_t>& published)
      : chain_(chain), syncer_(syncer), published_(published), tail_(tail) {}

  Result<std::uint64_t> Append(std::span<const Bytes> payloads, std::uint64_t& /*voided*/,
                               bool /*waits*/) override {
    Call call = {.payloads = payloads, .bytes = BytesOf(payloads)};
    Enter(call);
    if (!call.status.ok()) return std::move(call.status);
    return call.first_sequence;
  }

  Status Rotate() override {
    Call call = {.is_rotation = true};
    Enter(call);
    return std::move(call.status);
  }

 private:
  enum class State : std::uint8_t { kWaits, kLeads, kDone };

  // One caller, on its stack; gone as soon as its state is kDone.
  struct Call {
    std::span<const Bytes> payloads = {};
    std::uint64_t bytes = 0;
    bool is_rotation = false;
    std::uint64_t first_sequence = 0;
    Status status = {};
    std::atomic<State> state{State::kWaits};
  };

  // Returns when the call is done.
  void Enter(Call& call) {
    bool leads = false;
    {
      const std::lock_guard lock(mutex_);
      leads = !has_leader_;
      has_leader_ = true;
      if (!leads) waiting_.push_back(&call);
    }
    if (!leads && Await(call) == State::kDone) return;
    group_.assign(1, &call);
    if (!leads) TakeWaiting();
    Serve();
    Leave();
  }

  State Await(Call& call) {
    for (int looks = 0; looks < kLooksMax; ++looks) {
      const State state = call.state.load(std::memory_order_acquire);
      if (state != State::kWaits) return state;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    std::unique_lock lock(mutex_);
    ++sleeping_;
    while (call.state.load(std::memory_order_relaxed) == State::kWaits) changed_.wait(lock);
    --sleeping_;
    return call.state.load(std::memory_order_acquire);
  }

  // Moves calls that wait to the group, up to its bounds. Needs the lead.
  void TakeWaiting() {
    const std::lock_guard lock(mutex_);
    std::size_t records = group_.front()->payloads.size();
    std::uint64_t bytes = group_.front()->bytes;
    while (!waiting_.empty() && records < kGroupRecordsMax && bytes < kGatheredBytesMax) {
      Call* const call = waiting_.front();
      waiting_.pop_front();
      records += call->payloads.size();
      bytes += call->bytes;
      group_.push_back(call);
    }
  }

  // Tells everyone in the group, and hands the lead on. The leader's own call is in the group, so
  // nothing of it is touched afterwards.
  void Leave() {
    const std::lock_guard lock(mutex_);
    for (Call* const call : group_) call->state.store(State::kDone, std::memory_order_release);
    has_leader_ = !waiting_.empty();
    if (has_leader_) {
      Call* const next = waiting_.front();
      waiting_.pop_front();
      next->state.store(State::kLeads, std::memory_order_release);
    }
    if (sleeping_ > 0) changed_.notify_all();
  }

  // Everything below needs the lead.

  // Writes the group: as many calls at once as the segment has room for.
  void Serve() {
    std::size_t begin = 0;
    while (begin < group_.size()) {
      Call& first = *group_[begin];
      first.status = first.is_rotation ? BeginSegment(0, tail_.IsEmpty()) : MakeRoom(first.bytes);
      if (first.is_rotation || !first.status.ok()) {
        ++begin;
        continue;
      }
      std::size_t end = begin;
      std::uint64_t bytes = 0;
      while (end < group_.size() && !group_[end]->is_rotation &&
             tail_.HasRoom(bytes + group_[end]->bytes)) {
        bytes += group_[end++]->bytes;
      }
      const Status written = WriteCalls(begin, end);
      for (; begin < end; ++begin) group_[begin]->status = written;
    }
  }

  Status MakeRoom(std::uint64_t bytes) {
    return BeginSegment(bytes, !is_closed_ && tail_.HasRoom(bytes));
  }

  // Begins the next segment with room for so many bytes, unless `is_needless`.
  Status BeginSegment(std::uint64_t bytes, bool is_needless) {
    if (is_needless && !is_closed_) return {};
    MAYFLY_RETURN_IF_ERROR(chain_.Prepare(bytes));
    // From here on the header may be in the file, and says that this segment has ended.
    is_closed_ = true;
    MAYFLY_TRY(tail_.segment, chain_.Begin({.first_sequence = tail_.next_sequence,
                                            .previous_end = tail_.offset,
                                            .durable = syncer_.durable()}));
    tail_.offset = kSegmentHeaderBytes;
    is_closed_ = false;
    // One ahead. If there is no room now, the next segment asks again.
    static_cast<void>(chain_.Prepare(0));
    return {};
  }

  // Writes the calls [begin, end) of the group, all or none.
  Status WriteCalls(std::size_t begin, std::size_t end) {
    LogTail place = tail_;
    Status written;
    for (std::size_t i = begin; i < end && written.ok(); ++i) {
      group_[i]->first_sequence = place.next_sequence;
      for (const Bytes payload : group_[i]->payloads) {
        written = AddRecord(payload, place);
        if (!written.ok()) break;
      }
    }
    if (written.ok()) written = WriteGathered();
    std::memset(gathered_.data(), 0, gathered_.size());  // Rows must not outlive their promise.
    gathered_.clear();
    if (!written.ok()) return GiveUpPlace(std::move(written));
    tail_ = place;
    published_.store(place.next_sequence - 1, std::memory_order_release);
    return {};
  }

  // Gathers a small record, or writes a large one, at `place`, and moves `place` behind it.
  Status AddRecord(Bytes payload, LogTail& place) {
    const Segment& segment = *place.segment;
    const std::uint64_t bytes = RecordBytes(payload.size());
    const bool is_large = bytes > kGatheredRecordMax;
    if (gathered_.empty() || is_large || gathered_.size() + bytes > kGatheredBytesMax) {
      MAYFLY_RETURN_IF_ERROR(WriteGathered());
      gathered_.clear();
      gathered_offset_ = place.offset;
    }
    const std::size_t at = gathered_.size();
    Bytes stored = payload;
    std::string encrypted;
    if (is_large) {
      gathered_.resize(kRecordHeaderBytes);
      if (segment.is_encrypted()) {
        encrypted.resize(payload.size());
        if (!segment.Store(place.offset, payload, encrypted.data())) return CannotEncrypt();
        stored = encrypted;
      }
    } else {
      gathered_.resize(at + bytes);
      char* const out = gathered_.data() + at + kRecordHeaderBytes;
      if (!segment.Store(place.offset, payload, out)) return CannotEncrypt();
      stored = {out, payload.size()};
    }
    const RecordHeader header = {
        .bytes = static_cast<std::uint32_t>(payload.size()),
        .number = static_cast<std::uint32_t>(place.next_sequence - segment.first_sequence()),
        .unsynced = UnsyncedCount(place.next_sequence, syncer_.durable())};
    char* const record = gathered_.data() + at;
    StoreCheck(EncodeRecordHeader(header, stored, segment.seed(), record), record);
    place.offset += bytes;
    ++place.next_sequence;
    if (!is_large) return {};
    MAYFLY_RETURN_IF_ERROR(segment.file().Write(gathered_offset_ + kRecordHeaderBytes, stored));
    MAYFLY_RETURN_IF_ERROR(WriteGathered());
    gathered_.clear();
    return {};
  }

  Status WriteGathered() {
    if (gathered_.empty()) return {};
    return tail_.segment->file().Write(gathered_offset_, gathered_);
  }

  static Status CannotEncrypt() { return Status::Internal("cannot encrypt a record of the log"); }

  Status GiveUpPlace(Status failure) {
    is_closed_ = true;
    Status begun = BeginSegment(0, false);
    if (begun.ok()) begun = syncer_.SyncNow();
    if (begun.ok()) return failure;
    return Status::IoError(fmt::format("{}. The outcome is unknown after a crash: {}",
                                       failure.message(), begun.message()));
  }

  SegmentChain& chain_;
  LogSyncer& syncer_;
  std::atomic<std::uint64_t>& published_;

  std::mutex mutex_;  // Guards the next four.
  std::condition_variable changed_;
  std::deque<Call*> waiting_;
  bool has_leader_ = false;
  int sleeping_ = 0;

  // The leader's. The lead is handed on under mutex_.
  std::vector<Call*> group_;
  LogTail tail_;
  bool is_closed_ = false;  // The active segment takes no more records; the next one must begin.
  std::string gathered_;    // Records to be written together, at gathered_offset_.
  std::uint64_t gathered_offset_ = 0;
};

}  // namespace

std::unique_ptr<Appender> NewGroupAppender(SegmentChain& chain, LogSyncer& syncer, LogTail tail,
                                           std::atomic<std::uint64_t>& published) {
  return std::make_unique<GroupAppender>(chain, syncer, tail, published);
}

}  // namespace mayfly::engine::hot
