#include "rdb/footer.h"

#include "base/coding.h"
#include "rdb/crc64.h"
#include "rdb/rdb_types.h"

namespace mayfly::rdb {

void AppendFooter(std::string& payload, int version) {
  payload += {static_cast<char>(version), '\0'};
  AppendLittleEndian64(payload, Crc64(payload));
}

Result<Bytes> WithoutFooter(Bytes payload) {
  constexpr std::size_t kFooterBytes = 10;
  const auto wrong = [] { return Status::Invalid("DUMP payload version or checksum are wrong"); };
  if (payload.size() < kFooterBytes) return wrong();
  Bytes footer = payload.substr(payload.size() - kFooterBytes);
  const auto low = static_cast<unsigned char>(footer[0]);
  const auto high = static_cast<unsigned char>(footer[1]);
  if ((high << 8 | low) > kRdbVersionMax) return wrong();
  footer.remove_prefix(2);
  std::uint64_t crc = 0;
  if (!EatLittleEndian64(footer, crc)) return wrong();
  if (crc != Crc64(payload.substr(0, payload.size() - sizeof(crc)))) return wrong();
  return payload.substr(0, payload.size() - kFooterBytes);
}

}  // namespace mayfly::rdb
