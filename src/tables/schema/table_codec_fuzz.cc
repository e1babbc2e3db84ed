// Goal: readers of a table's stored records survive any bytes, and what they accept is what the
// writers write. Method: the first byte chooses the record; what is accepted is written again and
// compared.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "tables/schema/stream_record.h"
#include "tables/schema/table_codec.h"

namespace mayfly::tables {
namespace {

void TryTable(Bytes in) {
  const auto table = DecodeTable(in);
  MAYFLY_CHECK(!table || EncodeTable(*table) == in, "a description is not what is written");
}

void TryJob(Bytes in) {
  const auto job = DecodeJob(in);
  MAYFLY_CHECK(!job || EncodeJob(*job) == in, "a job is not what is written");
}

void TryPlace(Bytes in) {
  const auto place = DecodePlace(in);
  MAYFLY_CHECK(!place || EncodePlace(*place) == in, "a place is not what is written");
}

void TryRecord(Bytes in) {
  const auto record = DecodeRecord(EncodeSequence(7), in);
  MAYFLY_CHECK(!record || EncodeRecord(*record) == in, "a record is not what is written");
}

}  // namespace
}  // namespace mayfly::tables

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly::tables;
  if (size == 0) return 0;
  const mayfly::Bytes in(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0: TryTable(in); break;
    case 1: TryJob(in); break;
    case 2: TryRecord(in); break;
    default: TryPlace(in); break;
  }
  return 0;
}
