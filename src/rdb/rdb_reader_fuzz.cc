// Goal: no bytes break the reader, and how they arrive makes no difference.
// Method: the input is read as an RDB file, whole and in small pieces; what the sink got, and
// the error, are compared.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "rdb/rdb_reader.h"
#include "rdb/testing/text_sink.h"

namespace mayfly::rdb {
namespace {

std::string Read(Bytes file, std::size_t piece) {
  MemorySource source(file, piece);
  Input in(source, std::uint64_t{16} << 20);
  TextSink sink;
  const Status read = ReadRdb(in, sink);
  return sink.text() + read.ToString();
}

}  // namespace
}  // namespace mayfly::rdb

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Most inputs would fail at the first byte otherwise.
  std::string file = "REDIS0012";
  file.append(reinterpret_cast<const char*>(data), size);
  MAYFLY_CHECK(mayfly::rdb::Read(file, file.size()) == mayfly::rdb::Read(file, 3),
               "pieces make a difference");
  return 0;
}
