#include "engine/cluster/shard/shard_writer.h"

#include <fmt/format.h>

#include <utility>

#include "engine/cluster/shard/limits.h"
#include "engine/cluster/shard/shard_layout.h"
#include "engine/cluster/shard/store_wait.h"

namespace mayfly::engine::cluster {
namespace {

std::size_t BytesOf(const MapWrite& write) {
  std::size_t bytes = 0;
  for (const auto& key : write.removals) bytes += key.size();
  for (const auto& [key, value] : write.sets) bytes += key.size() + value.size();
  return bytes;
}

// The store gave no answer, so the request may have happened or still happen.
bool IsUnknown(const Status& status) { return status.code() == StatusCode::kBusy; }

}  // namespace

ShardWriter::ShardWriter(ObjectStore& store, ShardPlace place, const Clock& clock,
                         std::chrono::milliseconds patience, std::function<void()> while_waiting)
    : store_(store),
      place_(std::move(place)),
      clock_(clock),
      patience_(patience),
      while_waiting_(std::move(while_waiting)),
      record_bytes_(Encode(place_.record)) {}

Status ShardWriter::Barrier() {
  const SteadyTime began = clock_.Passed();
  for (;;) {
    const auto values = Read({OwnerKey(), SequenceKey()});
    if (values) {
      if ((*values)[0] != record_bytes_) return NotOurs();
      MAYFLY_TRY(sequence_, DecodeSequence((*values)[1]));
      return Write({});
    }
    if (!IsUnknown(values.error())) return values.error();
    if (clock_.Passed() - began > patience_ || !Pause()) return values.error();
  }
}

Status ShardWriter::Write(MapWrite write) {
  if (is_stopped()) return stopped();
  if (const std::size_t bytes = BytesOf(write); bytes > kMapWriteBytesMax) {
    return Status::Invalid(fmt::format(
        "a batch of {} bytes, without long values; {} takes at most {} in one, commit in parts",
        bytes, place_.name, kMapWriteBytesMax));
  }
  const std::size_t keys = write.removals.size() + write.sets.size();
  write.conditions.push_back({OwnerKey(), record_bytes_});
  write.conditions.push_back({SequenceKey(), EncodeSequence(sequence_)});
  write.sets.emplace_back(SequenceKey(), EncodeSequence(sequence_ + 1));
  MAYFLY_RETURN_IF_ERROR(Send(std::make_shared<const MapWrite>(std::move(write))));
  ++sequence_;
  ++counts_.writes;
  counts_.keys += keys;
  return {};
}

// Busy: there was no answer.
Status ShardWriter::SendOnce(const std::shared_ptr<const MapWrite>& write, SteadyTime began) {
  auto reply = AwaitReply<Status>(
      [&](auto receive) { store_.WriteMap(place_.object, write, std::move(receive)); },
      [&] { return IsOver(began); }, while_waiting_);
  return reply ? *std::move(reply) : NoAnswer();
}

Result<std::vector<std::string>> ShardWriter::Read(std::vector<std::string> keys) {
  using Values = Result<std::vector<std::string>>;
  const SteadyTime began = clock_.Passed();
  auto reply = AwaitReply<Values>(
      [&](auto receive) { store_.ReadMapKeys(place_.object, std::move(keys), std::move(receive)); },
      [&] { return IsOver(began); }, while_waiting_);
  return reply ? *std::move(reply) : Values(NoAnswer());
}

bool ShardWriter::IsOver(SteadyTime began) const {
  return given_up_.load(std::memory_order_acquire) || clock_.Passed() - began > patience_;
}

Status ShardWriter::Send(const std::shared_ptr<const MapWrite>& write) {
  const SteadyTime began = clock_.Passed();
  bool uncertain = false;  // An earlier sending may have happened.
  for (;;) {
    const Status status = SendOnce(write, began);
    if (status.ok()) return status;
    if (status.code() == StatusCode::kConflict) {
      const Seen seen = Look();
      if (seen == Seen::kAfter && uncertain) return {};
      if (seen == Seen::kOthers || seen == Seen::kAfter) {
        Stop(NotOurs());
        return uncertain ? Unknown() : NotOurs();
      }
    } else if (IsUnknown(status)) {
      uncertain = true;
    } else if (!uncertain) {
      return status;
    }
    if (clock_.Passed() - began > patience_ || !Pause()) return uncertain ? Unknown() : NoAnswer();
    ++counts_.resends;
  }
}

// What the shard says about the write that was refused.
ShardWriter::Seen ShardWriter::Look() {
  const auto values = Read({OwnerKey(), SequenceKey()});
  if (!values) return Seen::kNothing;
  if ((*values)[0] != record_bytes_) return Seen::kOthers;
  if ((*values)[1] == EncodeSequence(sequence_)) return Seen::kBefore;
  return (*values)[1] == EncodeSequence(sequence_ + 1) ? Seen::kAfter : Seen::kOthers;
}

Status ShardWriter::Confirm() {
  if (is_stopped()) return stopped();
  const auto values = Read({OwnerKey()});
  if (!values) return IsUnknown(values.error()) ? NoAnswer() : values.error();
  if ((*values)[0] == record_bytes_) return is_stopped() ? stopped() : Status();
  Stop(NotOurs());
  return NotOurs();
}

void ShardWriter::Stop(const Status& why) {
  {
    const std::lock_guard lock(mutex_);
    if (why_.ok()) why_ = why;
    is_stopped_.store(true, std::memory_order_release);
  }
  stop_.notify_all();
}

Status ShardWriter::stopped() const {
  const std::lock_guard lock(mutex_);
  return why_;
}

// False when the shard was stopped meanwhile.
bool ShardWriter::Pause() {
  std::unique_lock lock(mutex_);
  return !stop_.wait_for(lock, kResendPause, [this] { return !why_.ok(); });
}

Status ShardWriter::NotOurs() const {
  return Status::Busy(
      fmt::format("{} is owned by another server; ask where it is and go there", place_.name));
}

Status ShardWriter::NoAnswer() const {
  return Status::Busy(
      fmt::format("{}: {} does not answer; try again later", place_.name, store_.name()));
}

Status ShardWriter::Unknown() {
  const Status unknown = Status::IoError(fmt::format(
      "{}: {} did not answer to a write, whose outcome is unknown", place_.name, store_.name()));
  is_uncertain_.store(true, std::memory_order_release);
  Stop(unknown);
  return unknown;
}

}  // namespace mayfly::engine::cluster
