// Goal: reading a backup survives any records, even in blocks whose checksums are right.
// Method: the input becomes one block with its head in a file in memory, or the whole file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "core/upkeep/backup_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly;
  static const int descriptor = ::memfd_create("backup", 0);
  if (size == 0) return 0;
  const Bytes in(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string file;
  if (data[0] % 8 != 0) {
    file = "mayfly backup 1\n";
    AppendLittleEndian32(file, static_cast<std::uint32_t>(in.size()));
    AppendLittleEndian64(file, Hash64(in));
  }
  file += in;
  MAYFLY_CHECK(::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, file.data(), file.size(),
                                                           0) == static_cast<ssize_t>(file.size()),
               "the file in memory cannot be written");
  std::size_t bytes = 0;
  const Status read = core::ReadBackup("/proc/self/fd/" + std::to_string(descriptor), {},
                                       [&](const core::BackupRecord& record) {
                                         bytes += record.key.size() + record.data.size();
                                         return Status();
                                       });
  MAYFLY_CHECK(bytes <= file.size(), "more was read than there is");
  MAYFLY_CHECK(read.ok() || read.code() == StatusCode::kCorruption ||
                   read.code() == StatusCode::kWrongPassword,
               "an unexpected answer");
  return 0;
}
