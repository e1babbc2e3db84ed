#include "engine/hot/log/log_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "engine/hot/log/limits.h"

namespace mayfly::engine::hot {
namespace {

constexpr Bytes kSegmentMagic = "mayflyh1";
constexpr std::uint32_t kSegmentFormat = 1;
constexpr std::size_t kCipherBytes = 64;
constexpr Bytes kNamePrefix = "segment-";
constexpr std::uint32_t kVoidBit = std::uint32_t{1} << 31;

// All fields of a header, without the check: fewer bytes than a sector has.
constexpr std::size_t kFieldBytes = 8 + 4 + 4 + 5 * 8 + kCipherBytes;
constexpr std::size_t kHeaderBytes = kFieldBytes + 8;
static_assert(kHeaderBytes <= 512);

void PutLittle32(std::uint32_t value, char* out) {
  static_assert(std::endian::native == std::endian::little, "records are stored as they lie");
  std::memcpy(out, &value, sizeof value);
}

std::uint32_t GetLittle32(const char* in) {
  std::uint32_t value = 0;
  std::memcpy(&value, in, sizeof value);
  return value;
}

bool IsZero(Bytes bytes) { return bytes.find_first_not_of('\0') == Bytes::npos; }

// The fields of one copy. False when it is damaged.
bool EatHeader(Bytes in, SegmentHeader& header, std::uint32_t& format) {
  const Bytes fields = in.substr(0, kFieldBytes);
  Bytes rest = in.substr(kFieldBytes);
  std::uint64_t check = 0;
  if (!EatLittleEndian64(rest, check) || check != Hash64(fields)) return false;
  in.remove_prefix(kSegmentMagic.size());
  std::uint32_t encrypted = 0;
  if (!EatLittleEndian32(in, format) || !EatLittleEndian32(in, encrypted)) return false;
  for (std::uint64_t* field : {&header.number, &header.salt, &header.first_sequence,
                               &header.previous_end, &header.durable}) {
    if (!EatLittleEndian64(in, *field)) return false;
  }
  header.cipher = encrypted != 0 ? std::string(in.substr(0, kCipherBytes)) : std::string();
  return fields.starts_with(kSegmentMagic);
}

}  // namespace

std::string SegmentName(std::uint64_t number) { return fmt::format("segment-{:012}", number); }

std::optional<std::uint64_t> SegmentNumber(Bytes name) {
  if (!name.starts_with(kNamePrefix)) return std::nullopt;
  const Bytes digits = name.substr(kNamePrefix.size());
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc() || number == 0 || SegmentName(number) != name) return std::nullopt;
  return number;
}

std::uint64_t SegmentHeader::seed() const {
  std::string text;
  AppendLittleEndian64(text, number);
  AppendLittleEndian64(text, first_sequence);
  return Hash64(text, salt);
}

std::string EncodeSegmentHeader(const SegmentHeader& header) {
  MAYFLY_CHECK(header.cipher.empty() || header.cipher.size() == kCipherBytes,
               "the header of an encrypted segment has another size");
  std::string fields(kSegmentMagic);
  AppendLittleEndian32(fields, kSegmentFormat);
  AppendLittleEndian32(fields, header.cipher.empty() ? 0 : 1);
  for (const std::uint64_t field :
       {header.number, header.salt, header.first_sequence, header.previous_end, header.durable}) {
    AppendLittleEndian64(fields, field);
  }
  fields += header.cipher;
  fields.resize(kFieldBytes);
  AppendLittleEndian64(fields, Hash64(fields));
  std::string block = fields;
  block.resize(kHeaderCopyOffset);
  block += fields;
  block.resize(kSegmentHeaderBytes);
  return block;
}

Result<std::optional<SegmentHeader>> DecodeSegmentHeader(Bytes bytes) {
  bool is_begun = false;  // By the last copy: they are written one after the other.
  for (const std::uint64_t offset : {std::uint64_t{0}, kHeaderCopyOffset}) {
    if (bytes.size() < offset + kHeaderBytes) continue;
    const Bytes copy = bytes.substr(offset, kHeaderBytes);
    SegmentHeader header;
    std::uint32_t format = 0;
    if (EatHeader(copy, header, format)) {
      if (format == kSegmentFormat) return std::optional(std::move(header));
      return Status::Unsupported(fmt::format(
          "the log has format {}, and this mayfly reads format {}", format, kSegmentFormat));
    }
    is_begun = !IsZero(copy);
  }
  if (!is_begun) return std::optional<SegmentHeader>();
  return Status::Corruption("both copies of the header are damaged");
}

std::uint32_t UnsyncedCount(std::uint64_t sequence, std::uint64_t durable) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sequence - durable, RecordHeader::kUnsyncedMax));
}

std::uint32_t EncodeRecordHeader(const RecordHeader& header, Bytes payload, std::uint64_t seed,
                                 char* out) {
  PutLittle32(header.bytes | (header.is_void ? kVoidBit : 0), out + 4);
  PutLittle32(header.number, out + 8);
  PutLittle32(header.unsynced, out + 12);
  const std::uint64_t fields = Hash64({out + kCheckBytes, 12}, seed);
  const auto check = static_cast<std::uint32_t>(Hash64(payload, fields));
  return check == 0 ? 1 : check;
}

void StoreCheck(std::uint32_t check, char* out) { PutLittle32(check, out); }

bool PeekRecord(Bytes in, StoredRecord& record) {
  if (in.size() < kRecordHeaderBytes) return false;
  const std::uint32_t bytes = GetLittle32(in.data() + 4);
  record.header = {.bytes = bytes & ~kVoidBit,
                   .is_void = (bytes & kVoidBit) != 0,
                   .number = GetLittle32(in.data() + 8),
                   .unsynced = GetLittle32(in.data() + 12)};
  if (record.header.bytes > kPayloadBytesMax) return false;
  if (in.size() < RecordBytes(record.header.bytes)) return false;
  record.payload = in.substr(kRecordHeaderBytes, record.header.bytes);
  return true;
}

bool ReadRecord(Bytes in, std::uint64_t seed, StoredRecord& record) {
  if (!PeekRecord(in, record)) return false;
  std::array<char, kRecordHeaderBytes> header;
  return EncodeRecordHeader(record.header, record.payload, seed, header.data()) ==
         GetLittle32(in.data());
}

}  // namespace mayfly::engine::hot
