// Goal: decoders of stored records survive any bytes, and accept only what the encoders write.
// Method: the first byte chooses the record; an accepted record is encoded again and compared.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "core/keyspaces/catalog.h"
#include "core/layout/collection_codec.h"
#include "core/layout/event_codec.h"
#include "core/layout/keys.h"
#include "core/layout/row_codec.h"
#include "core/layout/version_codec.h"

namespace mayfly::core {
namespace {

void TryRow(Bytes in) {
  const auto row = DecodeRow(in);
  if (!row) return;
  std::string written;
  AppendRow(written, *row);
  MAYFLY_CHECK(written == in, "a row is not what is written");
}

void TryVersion(Bytes in) {
  const auto collection_id = DecodeVersion(in);
  if (!collection_id) return;
  std::string written;
  AppendVersion(written, *collection_id);
  MAYFLY_CHECK(written == in, "a collection id is not what is written");
}

void TryMemberKey(Bytes in) {
  const auto key = UserKeyOfMember(in);
  if (!key) return;
  const std::string begin = VersionKeysBegin(*key);
  const std::string end = VersionKeysEnd(*key);
  MAYFLY_CHECK(in.starts_with(begin) && in < Bytes(end), "a member is not among its key's");
}

void TryCollection(Bytes in) {
  const auto collection = DecodeCollection(in);
  if (collection) {
    std::string written;
    AppendCollection(written, *collection);
    MAYFLY_CHECK(written == in, "a collection is not what is written");
  }
  (void)DeadlineOfPart(in, in);
  const auto part = DecodePartKey(in);
  if (!part) return;
  const RowKey key = PartKeys(0, part->collection_id).Of(part->part, part->name);
  MAYFLY_CHECK(Bytes(key).substr(4) == in, "a part's key is not what is written");
}

void TryEntry(Bytes in) {
  const auto entry = DecodeEntry(in);
  if (!entry) return;
  const std::string written = EntryKey(0, entry->deadline, entry->key);
  MAYFLY_CHECK(Bytes(written).substr(4) == in.substr(4), "an entry is not what is written");
}

void TryEvent(Bytes in) {
  const auto event = DecodeEvent(in);
  MAYFLY_CHECK(!event || EncodeEvent(*event) == in, "an event is not what is written");
}

void TryKeyspace(Bytes in) {
  std::string name;
  KeyspacePolicy policy;
  if (!DecodeKeyspace(in, name, policy).ok()) return;
  std::string name_again;
  KeyspacePolicy policy_again;
  MAYFLY_CHECK(DecodeKeyspace(EncodeKeyspace(name, policy), name_again, policy_again).ok() &&
                   name == name_again && policy == policy_again,
               "a keyspace is not what is written");
}

void TryCounters(Bytes in) {
  Counters counters;
  MAYFLY_CHECK(!DecodeCounters(in, counters).ok() || EncodeCounters(counters) == in,
               "counters are not what is written");
}

}  // namespace
}  // namespace mayfly::core

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly::core;
  if (size == 0) return 0;
  const mayfly::Bytes in(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0: TryRow(in); break;
    case 1: TryEntry(in); break;
    case 2: TryEvent(in); break;
    case 3: TryKeyspace(in); break;
    case 4: TryVersion(in); break;
    case 5: TryMemberKey(in); break;
    case 6: TryCollection(in); break;
    default: TryCounters(in); break;
  }
  return 0;
}
