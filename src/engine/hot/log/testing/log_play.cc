#include "engine/hot/log/testing/log_play.h"

#include <algorithm>
#include <utility>

namespace mayfly::engine::hot {

LogPlay::~LogPlay() {
  disk_.CutPowerAt(0);
  killed_.clear();
  log_.reset();
}

Status LogPlay::Open() {
  Replayed replayed;
  auto log = HotLog::Open({.files = &disk_,
                           .segment_bytes = kSegmentBytesMin,
                           .mapped = mode_.mapped,
                           .replay_from = folded_ + 1,
                           .key = key_},
                          [&](const LogRecord& record) {
                            replayed.emplace_back(record.sequence, record.payload);
                            return Status();
                          });
  if (!log.has_value()) return log.error();
  log_ = *std::move(log);
  Check(replayed);
  return {};
}

// What was accepted, or what a failed append may have made of it, whichever the first record shows.
std::vector<std::string> LogPlay::BestMatch(const Replayed& replayed) const {
  const std::uint64_t last = folded_ + replayed.size();
  for (const Unknown& unknown : unknown_) {
    if (last <= unknown.after || unknown.after < folded_) continue;
    if (!lost_power_ && unknown.after < accepted_.size()) continue;
    if (replayed[unknown.after - folded_].second != unknown.payloads.front()) continue;
    std::vector<std::string> possible = accepted_;
    possible.resize(unknown.after);
    possible.insert(possible.end(), unknown.payloads.begin(), unknown.payloads.end());
    return possible;
  }
  return accepted_;
}

void LogPlay::NoteUnknown(std::vector<std::string> payloads) {
  unknown_.push_back({.after = accepted_.size(), .payloads = std::move(payloads)});
}

void LogPlay::Check(const Replayed& replayed) {
  std::vector<std::string> possible = BestMatch(replayed);
  std::uint64_t last = folded_;
  for (const auto& [sequence, payload] : replayed) {
    ASSERT_EQ(sequence, last + 1) << "a gap";
    ASSERT_LE(sequence, possible.size()) << "a record that nobody appended";
    ASSERT_TRUE(payload == possible[sequence - 1]) << "record " << sequence << " is another one";
    last = sequence;
  }
  ASSERT_EQ(log_->last_sequence(), last);
  ASSERT_GE(last, durable_) << "a record is missing that was acknowledged with kDisk";
  if (!lost_power_) {
    ASSERT_GE(last, accepted_.size()) << "a record is missing that was acknowledged with kProcess";
  }
  possible.resize(last);
  accepted_ = std::move(possible);
  unknown_.clear();
  durable_ = last;  // Open() has synced it.
  lost_power_ = false;
}

void LogPlay::Run(int steps, bool until_error) {
  for (int i = 0; i < steps; ++i) {
    if (!Step() && until_error) return;
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void LogPlay::Die(bool power_cut) {
  if (power_cut) {
    disk_.PowerCut(random_);
    lost_power_ = true;
  } else {
    disk_.Restart();
  }
  if (log_ != nullptr) killed_.push_back(std::move(log_));
}

bool LogPlay::Step() {
  switch (random_.Below(20)) {
    case 0: return log_->Rotate().ok();
    case 1: return log_->Prepare().ok();
    case 2:
    case 3: return Fold();
    case 4: return Reopen();
    case 5:
    case 6:
    case 7: return SyncSome();
    case 8:
    case 9: return AppendGroup();
    default: return AppendOne();
  }
}

std::string LogPlay::Payload() {
  const std::uint64_t size = random_.OneIn(40)   ? random_.Below(40000)
                             : random_.OneIn(10) ? random_.Below(4000)
                                                 : random_.Below(300);
  return "p" + random_.Bytes(size);
}

bool LogPlay::AppendOne() { return Append({Payload()}); }

bool LogPlay::AppendGroup() {
  std::vector<std::string> payloads;
  for (std::uint64_t i = random_.Between(1, 8); i > 0; --i) payloads.push_back(Payload());
  return Append(payloads);
}

bool LogPlay::Append(const std::vector<std::string>& payloads) {
  disk_.Tick();
  const std::vector<Bytes> views(payloads.begin(), payloads.end());
  const auto first = log_->Append(views);
  if (!first.has_value()) return ExpectAbsentOrNoted(first.error(), payloads);
  EXPECT_EQ(*first, accepted_.size() + 1);
  accepted_.insert(accepted_.end(), payloads.begin(), payloads.end());
  return true;
}

// A refused append is absent, unless its message says that this is unknown.
bool LogPlay::ExpectAbsentOrNoted(const Status& refused, const std::vector<std::string>& payloads) {
  EXPECT_TRUE(refused.code() == StatusCode::kIoError || refused.code() == StatusCode::kBusy)
      << refused.ToString();
  if (refused.message().find("unknown") != std::string_view::npos) NoteUnknown(payloads);
  return false;
}

bool LogPlay::SyncSome() {
  if (accepted_.empty()) return true;
  const std::uint64_t sequence = random_.Between(folded_, accepted_.size());
  if (log_->has_failed_sync() && random_.OneIn(2)) static_cast<void>(log_->WriteAgain());
  if (!log_->Sync(sequence).ok()) return false;
  durable_ = std::max(durable_, sequence);
  std::erase_if(unknown_, [&](const Unknown& unknown) { return unknown.after < durable_; });
  return true;
}

bool LogPlay::Fold() {
  const std::uint64_t sequence = random_.Between(folded_, durable_);
  folded_ = sequence;  // The cold store has it, durably, before the log lets it go.
  return log_->Remove(sequence).ok();
}

bool LogPlay::Reopen() {
  const bool closed = log_->Close().ok();
  // The mark is a record of its own; it may be there.
  if (closed) {
    durable_ = accepted_.size();
    NoteUnknown({""});
  }
  log_.reset();
  if (Open().ok()) return true;
  // A fault hit the open. The next process has better luck.
  disk_.Restart();
  const Status opened = Open();
  EXPECT_TRUE(opened.ok()) << opened.ToString();
  return false;
}

}  // namespace mayfly::engine::hot
