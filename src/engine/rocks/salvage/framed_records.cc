#include "engine/rocks/salvage/framed_records.h"

#include <algorithm>
#include <boost/crc.hpp>
#include <memory>

#include "base/coding.h"
#include "engine/rocks/log_search.h"
#include "engine/rocks/rocks_status.h"

namespace mayfly::engine {
namespace {

// RocksDB's numbers.
constexpr std::size_t kHeaderBytes = 7;
constexpr unsigned kWhole = 1;
constexpr unsigned kFirst = 2;
constexpr unsigned kLast = 4;

// CRC-32C of type and bytes, turned and moved so that a checksum of checksums is none.
std::uint32_t ChecksumOf(Bytes type_and_bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(type_and_bytes.data(), type_and_bytes.size());
  const std::uint32_t sum = crc.checksum();
  return (sum >> 15 | sum << 17) + 0xa282ead8;
}

class Frames {
 public:
  explicit Frames(FunctionRef<void(Bytes)> take) : take_(take) {}

  void Block(Bytes block, bool is_last) {
    while (block.size() >= kHeaderBytes) {
      Bytes header = block;
      std::uint32_t checksum = 0;
      if (!EatLittleEndian32(header, checksum)) return;
      const auto byte = [&block](std::size_t i) { return static_cast<unsigned char>(block[i]); };
      const std::size_t length = byte(4) + std::size_t{256} * byte(5);
      const unsigned type = byte(6);
      if (type == 0 && length == 0) return;  // Room that was never written.
      if (length > block.size() - kHeaderBytes) {
        if (!is_last) return Damaged();
        report_.ends_within_a_record = true;
        return;
      }
      const Bytes bytes = block.substr(kHeaderBytes, length);
      if (ChecksumOf(block.substr(kHeaderBytes - 1, length + 1)) != checksum) return Damaged();
      block.remove_prefix(kHeaderBytes + length);
      Piece(type, bytes);
    }
    if (is_last && !block.empty()) report_.ends_within_a_record = true;
  }

  FramedReport Finish() {
    report_.ends_within_a_record |= in_record_;
    return report_;
  }

 private:
  void Damaged() {
    ++report_.damaged_places;
    in_record_ = false;
  }

  void Piece(unsigned type, Bytes bytes) {
    if (type == 0 || type > kLast) return Damaged();
    if (type == kWhole || type == kFirst) {
      if (in_record_) Damaged();
      record_.clear();
      in_record_ = true;
    }
    if (!in_record_) return;  // The rest of one whose beginning is damaged.
    record_.append(bytes);
    if (type != kWhole && type != kLast) return;
    in_record_ = false;
    take_(record_);
  }

  const FunctionRef<void(Bytes)> take_;
  std::string record_;
  bool in_record_ = false;
  FramedReport report_;
};

}  // namespace

Result<FramedReport> ForEachRecord(rocksdb::Env& env, const std::string& path,
                                   FunctionRef<void(Bytes record)> take) {
  std::unique_ptr<rocksdb::SequentialFile> file;
  rocksdb::Status status = env.NewSequentialFile(path, &file, rocksdb::EnvOptions());
  Frames frames(take);
  std::string block(kLogBlockBytes, '\0');
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
    frames.Block(Bytes(block).substr(0, filled), ended);
    filled = 0;
  }
  if (!status.ok()) return FromRocks(status, "reading " + path);
  return frames.Finish();
}

}  // namespace mayfly::engine
