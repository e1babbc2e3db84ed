#include "engine/rocks/reader/log_tail.h"

#include <fmt/format.h>

#include "engine/rocks/files/log_format.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

constexpr std::size_t kFirstReadBytes = std::size_t{4} << 10;  // Mostly there is little to read.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

}  // namespace

Result<std::unique_ptr<LogTail>> LogTail::Open(rocksdb::Env& env, const std::string& path,
                                               std::uint64_t number) {
  std::unique_ptr<rocksdb::RandomAccessFile> file;
  const rocksdb::Status status = env.NewRandomAccessFile(path, &file, rocksdb::EnvOptions());
  if (status.IsNotFound() || status.IsPathNotFound()) return Status::NotFound();
  if (!status.ok()) return FromRocks(status, "opening " + path);
  return std::unique_ptr<LogTail>(new LogTail(std::move(file), path, number));
}

Status LogTail::ReadNew(std::vector<std::string>& records) {
  std::size_t wanted = kFirstReadBytes;
  for (;;) {
    buffer_.resize(wanted);
    rocksdb::Slice read;
    const rocksdb::Status status = file_->Read(offset_, wanted, &read, buffer_.data());
    if (!status.ok()) return FromRocks(status, "reading " + path_);
    Bytes bytes(read.data(), read.size());
    const std::uint64_t before = offset_;
    Step step = Step::kFragment;
    while (step == Step::kFragment) {
      MAYFLY_TRY(step, TakeFragment(bytes, records));
    }
    if (step == Step::kEnd) return CheckRestIsEmpty();
    if (read.size() < wanted) {
      stops_within_record_ = in_record_ || !bytes.empty();
      return {};
    }
    // A fragment is smaller than a block, so a large read always makes progress.
    if (offset_ == before && wanted == kReadBytes) return Damaged("it does not go on");
    wanted = kReadBytes;
  }
}

// After room that was never written only zeros may follow; otherwise zeros are damage.
Status LogTail::CheckRestIsEmpty() {
  stops_within_record_ = in_record_;
  buffer_.resize(kReadBytes);
  for (std::uint64_t at = offset_;;) {
    rocksdb::Slice read;
    const rocksdb::Status status = file_->Read(at, kReadBytes, &read, buffer_.data());
    if (!status.ok()) return FromRocks(status, "reading " + path_);
    if (Bytes(read.data(), read.size()).find_first_not_of('\0') != Bytes::npos) {
      return Damaged("zeros within the log");
    }
    if (read.size() < kReadBytes) return {};
    at += read.size();
  }
}

Result<LogTail::Step> LogTail::TakeFragment(Bytes& bytes, std::vector<std::string>& records) {
  const std::size_t left = kLogBlockBytes - offset_ % kLogBlockBytes;
  if (left < kFrameHeaderBytes) {  // Filled up with zeros.
    if (bytes.size() < left) return Step::kMore;
    bytes.remove_prefix(left);
    offset_ += left;
    return Step::kFragment;
  }
  if (bytes.size() < kFrameHeaderBytes) return Step::kMore;
  const Frame frame = ReadFrame(bytes);
  const std::size_t frame_bytes = kFrameHeaderBytes + frame.length;
  if (frame.IsEmptyRoom()) return Step::kEnd;
  if (!frame.HasKnownKind()) return Damaged("a record of an unknown kind");
  if (frame_bytes > left) return Damaged("a record that leaves its block");
  if (bytes.size() < frame_bytes) return Step::kMore;
  if (!IsSoundFrame(frame, bytes)) return Damaged("a checksum does not fit");
  const bool begins = frame.kind == kWholeRecord || frame.kind == kFirstFragment;
  if (!begins && !in_record_) return Damaged("a fragment without a beginning");
  if (begins) record_.clear();
  record_.append(PayloadOf(frame, bytes));
  in_record_ = frame.kind == kFirstFragment || frame.kind == kMiddleFragment;
  if (!in_record_) {
    records.push_back(std::move(record_));
    record_.clear();
  }
  bytes.remove_prefix(frame_bytes);
  offset_ += frame_bytes;
  return Step::kFragment;
}

Status LogTail::Damaged(const char* what) const {
  return Status::Corruption(fmt::format("{} is damaged at {}: {}", path_, offset_, what));
}

}  // namespace mayfly::engine
