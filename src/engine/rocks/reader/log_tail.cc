#include "engine/rocks/reader/log_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>

#include "base/coding.h"
#include "engine/rocks/log_search.h"
#include "engine/rocks/rocks_status.h"

namespace mayfly::engine {
namespace {

// RocksDB's numbers.
constexpr std::size_t kHeaderBytes = 7;
constexpr unsigned kWhole = 1;
constexpr unsigned kFirst = 2;
constexpr unsigned kMiddle = 3;
constexpr unsigned kLast = 4;

constexpr std::size_t kFirstReadBytes = std::size_t{4} << 10;  // Mostly there is little or nothing.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;

// CRC-32C of type and bytes, masked: stored checksums of checksums would be weak.
std::uint32_t ChecksumOf(Bytes typed) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(typed.data(), typed.size());
  const auto sum = static_cast<std::uint32_t>(crc.checksum());
  return ((sum >> 15) | (sum << 17)) + 0xa282ead8U;
}

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
    if (step == Step::kEnd || read.size() < wanted) return {};
    // A fragment is smaller than a block, so a large read always gets on.
    if (offset_ == before && wanted == kReadBytes) return Damaged("it does not go on");
    wanted = kReadBytes;
  }
}

Result<LogTail::Step> LogTail::TakeFragment(Bytes& bytes, std::vector<std::string>& records) {
  const std::size_t left = kLogBlockBytes - offset_ % kLogBlockBytes;
  if (left < kHeaderBytes) {  // Filled up with zeros.
    if (bytes.size() < left) return Step::kMore;
    bytes.remove_prefix(left);
    offset_ += left;
    return Step::kFragment;
  }
  if (bytes.size() < kHeaderBytes) return Step::kMore;
  Bytes header = bytes;
  std::uint32_t crc = 0;
  if (!EatLittleEndian32(header, crc)) return Step::kMore;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t length = byte(4) + std::size_t{256} * byte(5);
  const unsigned type = byte(6);
  if (type == 0 && length == 0) return Step::kEnd;  // Room that was never written.
  if (type < kWhole || type > kLast) return Damaged("a record of an unknown kind");
  if (kHeaderBytes + length > left) return Damaged("a record that leaves its block");
  if (bytes.size() < kHeaderBytes + length) return Step::kMore;
  if (ChecksumOf(bytes.substr(6, length + 1)) != crc) return Damaged("a checksum does not fit");
  if (type == kWhole || type == kFirst) record_.clear();
  record_.append(bytes.substr(kHeaderBytes, length));
  if (type == kWhole || type == kLast) {
    records.push_back(std::move(record_));
    record_.clear();
  }
  static_assert(kMiddle == kFirst + 1);
  bytes.remove_prefix(kHeaderBytes + length);
  offset_ += kHeaderBytes + length;
  return Step::kFragment;
}

Status LogTail::Damaged(const char* what) const {
  return Status::Corruption(fmt::format("{} is damaged at {}: {}", path_, offset_, what));
}

}  // namespace mayfly::engine
