#include "server/functions/library_payload.h"

#include <utility>

#include "rdb/footer.h"
#include "rdb/input.h"
#include "rdb/rdb_types.h"
#include "rdb/rdb_writer.h"

namespace mayfly::server {

std::string EncodeLibraries(const LibraryTexts& libraries) {
  std::string out;
  for (const auto& [name, text] : libraries) {
    out.push_back(static_cast<char>(rdb::kRdbFunction));
    rdb::AppendString(out, text);
  }
  rdb::AppendFooter(out, rdb::kRdbVersion);
  return out;
}

Result<std::vector<std::string>> DecodeLibraries(Bytes payload) {
  MAYFLY_TRY(const Bytes bytes, rdb::WithoutFooter(payload));
  rdb::Input in(bytes, rdb::kStringBytesMax);
  std::vector<std::string> texts;
  while (!in.AtEnd()) {
    std::uint8_t type = 0;
    std::string text;
    if (!in.Byte(type)) return Status::Invalid("can not read data type");
    if (type != rdb::kRdbFunction) return Status::Invalid("given type is not a function");
    if (!in.String(text)) return Status::Invalid("failed loading the given functions payload");
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace mayfly::server
