#include "engine/rocks/files/framed_records.h"

#include <algorithm>
#include <memory>

#include "engine/rocks/files/log_format.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

bool IsZeros(Bytes bytes) { return bytes.find_first_not_of('\0') == Bytes::npos; }

// True if a frame begins here and its checksum matches.
bool BeginsSoundFrame(Bytes bytes) {
  if (bytes.size() < kFrameHeaderBytes) return false;
  const Frame frame = ReadFrame(bytes);
  return frame.HasKnownKind() && frame.length <= bytes.size() - kFrameHeaderBytes &&
         IsSoundFrame(frame, bytes);
}

// How many bytes to skip at the front of `block`, where a frame is damaged; all of them if nothing
// sound follows.
std::size_t DamagedBytes(Bytes block) {
  const std::size_t led_to = kFrameHeaderBytes + ReadFrame(block).length;
  if (led_to <= block.size()) {
    const Bytes rest = block.substr(led_to);
    if (BeginsSoundFrame(rest) || (rest.size() < kFrameHeaderBytes && IsZeros(rest))) return led_to;
  }
  std::size_t bytes = 1;
  while (bytes < block.size() && !BeginsSoundFrame(block.substr(bytes))) ++bytes;
  return bytes;
}

class Frames {
 public:
  explicit Frames(FunctionRef<void(const FramedRecord&)> take) : take_(take) {}

  // `block` lies at `offset`.
  void Block(Bytes block, std::uint64_t offset, bool is_last) {
    if (IsZeros(block)) {  // Room that was never written, if nothing follows.
      zeros_ += block.size();
      return;
    }
    if (zeros_ > 0) Damaged({offset - zeros_, zeros_});
    zeros_ = 0;
    is_behind_damage_ = false;  // A block begins with a frame.
    while (block.size() >= kFrameHeaderBytes) {
      std::size_t bytes = 0;
      if (BeginsSoundFrame(block)) {
        bytes = kFrameHeaderBytes + ReadFrame(block).length;
        Fragment(block, {offset, bytes});
      } else if (ReadFrame(block).IsEmptyRoom() && IsZeros(block)) {
        zeros_ = block.size();
        return;
      } else {
        bytes = DamagedBytes(block);
        const bool leaves = ReadFrame(block).length > block.size() - kFrameHeaderBytes;
        if (is_last && leaves && bytes == block.size()) {  // Probably cut off by a crash.
          report_.ends_within_a_record = true;
          return;
        }
        Damaged({offset, bytes});
      }
      block.remove_prefix(bytes);
      offset += bytes;
    }
    if (is_last && !block.empty()) report_.ends_within_a_record = true;
  }

  FramedReport Finish() {
    report_.ends_within_a_record |= in_record_;
    return std::move(report_);
  }

 private:
  void Damaged(FileRange range) {
    report_.damaged.push_back(range);
    in_record_ = false;
    is_behind_damage_ = true;
  }

  // Takes a sound fragment at the front of `bytes`.
  void Fragment(Bytes bytes, FileRange at) {
    const Frame frame = ReadFrame(bytes);
    if (frame.kind == kWholeRecord || frame.kind == kFirstFragment) {
      if (in_record_) report_.damaged.push_back(record_at_);  // It has no end.
      record_.clear();
      record_at_ = at;
      in_record_ = true;
      is_found_ = is_behind_damage_;
    }
    if (!in_record_) return;  // The rest of a record whose beginning is damaged.
    record_.append(PayloadOf(frame, bytes));
    record_at_.bytes = at.offset + at.bytes - record_at_.offset;
    if (frame.kind != kWholeRecord && frame.kind != kLastFragment) return;
    in_record_ = false;
    take_({.bytes = record_, .at = record_at_, .is_found = is_found_});
  }

  const FunctionRef<void(const FramedRecord&)> take_;
  std::string record_;
  FileRange record_at_;
  bool in_record_ = false;
  bool is_found_ = false;          // The record, after damage.
  bool is_behind_damage_ = false;  // In this block.
  std::uint64_t zeros_ = 0;        // Before the next bytes.
  FramedReport report_;
};

}  // namespace

Result<FramedReport> ForEachRecord(rocksdb::Env& env, const std::string& path,
                                   FunctionRef<void(const FramedRecord& record)> take) {
  std::unique_ptr<rocksdb::SequentialFile> file;
  rocksdb::Status status = env.NewSequentialFile(path, &file, rocksdb::EnvOptions());
  Frames frames(take);
  std::string block(kLogBlockBytes, '\0');
  std::uint64_t offset = 0;
  std::size_t filled = 0;
  bool ended = false;
  while (status.ok() && !ended) {
    rocksdb::Slice read;
    status = file->Read(block.size() - filled, &read, block.data() + filled);
    if (!status.ok()) break;
    if (read.data() != block.data() + filled) {
      std::copy_n(read.data(), read.size(), block.data() + filled);
    }
    filled += read.size();
    ended = read.empty();
    if (filled < block.size() && !ended) continue;
    frames.Block(Bytes(block).substr(0, filled), offset, ended);
    offset += filled;
    filled = 0;
  }
  if (!status.ok()) return FromRocks(status, "reading " + path);
  return frames.Finish();
}

}  // namespace mayfly::engine
