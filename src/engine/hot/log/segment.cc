#include "engine/hot/log/segment.h"

#include <atomic>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "crypto/file_header.h"
#include "engine/hot/log/limits.h"

namespace mayfly::engine::hot {

Segment::Segment(std::unique_ptr<LogFile> file, SegmentHeader header, std::uint64_t bytes)
    : file_(std::move(file)), header_(std::move(header)), bytes_(bytes) {}

Result<std::unique_ptr<Segment>> Segment::Prepare(LogFiles& files, std::uint64_t number,
                                                  std::uint64_t bytes, bool mapped,
                                                  const crypto::DatabaseKey* key) {
  SegmentHeader header;
  header.number = number;
  MAYFLY_TRY(const std::string random, crypto::RandomBytes(sizeof header.salt));
  Bytes salt = random;
  MAYFLY_CHECK(EatLittleEndian64(salt, header.salt), "a salt has eight bytes");
  std::unique_ptr<crypto::CounterCipher> cipher;
  if (key != nullptr) {
    MAYFLY_TRY(crypto::FileHeader file, crypto::NewFileHeader(*key, kSegmentKeyPurpose));
    MAYFLY_TRY(cipher, crypto::CounterCipher::Make(file.key));
    header.cipher = std::move(file.bytes);
  }
  MAYFLY_TRY(std::unique_ptr<LogFile> file, files.Create(SegmentName(number)));
  MAYFLY_RETURN_IF_ERROR(file->Allocate(bytes));
  auto segment = std::make_unique<Segment>(std::move(file), std::move(header), bytes);
  segment->cipher_ = std::move(cipher);
  if (mapped) {
    MAYFLY_TRY(segment->mapping_, segment->file_->Map(bytes));
    segment->file_->Populate(0, 2 * kPopulateBytes);
  }
  return segment;
}

Status Segment::Grow(std::uint64_t bytes) {
  MAYFLY_RETURN_IF_ERROR(file_->Allocate(bytes));
  if (mapping_ != nullptr) {
    MAYFLY_TRY(mapping_, file_->Map(bytes));
  }
  bytes_ = bytes;
  return {};
}

Status Segment::Begin(std::uint64_t first_sequence, std::uint64_t previous_end,
                      std::uint64_t durable) {
  MAYFLY_CHECK(!is_placed_ || (header_.first_sequence == first_sequence &&
                               header_.previous_end == previous_end),
               "a segment whose header may be written gets another place in the log");
  if (!is_placed_) {
    is_placed_ = true;
    header_.first_sequence = first_sequence;
    header_.previous_end = previous_end;
    header_.durable = durable;
    seed_ = header_.seed();
  }
  const std::string block = EncodeSegmentHeader(header_);
  if (mapping_ == nullptr) return file_->Write(0, block);
  // The copies in their order: a process that is killed in between leaves a segment that was never
  // begun. A kill ends the thread between two instructions, so the compiler's order is enough.
  std::memcpy(mapping_, block.data(), kHeaderCopyOffset);
  std::atomic_signal_fence(std::memory_order_release);
  std::memcpy(mapping_ + kHeaderCopyOffset, block.data() + kHeaderCopyOffset,
              block.size() - kHeaderCopyOffset);
  return {};
}

bool Segment::Store(std::uint64_t offset, Bytes payload, char* out) const {
  if (cipher_ != nullptr) return cipher_->Apply(offset + kRecordHeaderBytes, payload, out);
  payload.copy(out, payload.size());  // It may be empty.
  return true;
}

}  // namespace mayfly::engine::hot
