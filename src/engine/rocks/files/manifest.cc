#include "engine/rocks/files/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "engine/rocks/files/framed_records.h"
#include "engine/rocks/files/sst_format.h"

namespace mayfly::engine {
namespace {

// RocksDB's numbers. Tags with kMayBeSkipped are followed by the size of their fields.
enum Tag : std::uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kPrevLogNumber = 9,
  kMinLogNumberToKeep = 10,
  kNewFile4 = 103,
  kColumnFamily = 200,
  kColumnFamilyAdd = 201,
  kColumnFamilyDrop = 202,
  kMaxColumnFamily = 203,
  kInAtomicGroup = 300,
  kMayBeSkipped = 1 << 13,
  kWalAddition = kMayBeSkipped + 7,
  kWalDeletion = kMayBeSkipped + 8,
};
constexpr std::uint64_t kEndOfFields = 1;
constexpr std::uint64_t kSyncedSize = 2;

// The bound of a table: a key, or with the largest sequence the end of a range tombstone.
bool EatBound(Bytes& in, std::string& bound, bool& is_end) {
  Bytes key;
  InternalKey parsed;
  if (!EatSized(in, key) || !ParseInternalKey(key, parsed)) return false;
  constexpr std::uint64_t kLastSequenceOfAll = (std::uint64_t{1} << 56) - 1;
  is_end = parsed.type == kTypeRangeDeletion && parsed.sequence == kLastSequenceOfAll;
  bound = parsed.user_key;
  return true;
}

bool EatTable(Bytes& in, std::uint64_t& number, ManifestTable& table) {
  std::uint64_t level = 0;
  std::uint64_t sequence = 0;
  bool ignored = false;
  if (!EatVarint(in, level) || !EatVarint(in, number) || !EatVarint(in, table.bytes) ||
      !EatBound(in, table.smallest, ignored) ||
      !EatBound(in, table.largest, table.largest_is_end) || !EatVarint(in, sequence) ||
      !EatVarint(in, sequence)) {
    return false;
  }
  std::uint64_t field = 0;
  Bytes content;
  while (EatVarint(in, field)) {
    if (field == kEndOfFields) return true;
    if (!EatSized(in, content)) return false;
  }
  return false;
}

// | log number | then tagged fields, of which the size is one |.
bool AddLog(Bytes in, Manifest& manifest) {
  std::uint64_t number = 0;
  std::uint64_t field = 0;
  if (!EatVarint(in, number)) return false;
  std::uint64_t& bytes = manifest.logs[number];
  while (EatVarint(in, field)) {
    if (field == kEndOfFields) return true;
    if (field != kSyncedSize || !EatVarint(in, bytes)) return false;
  }
  return false;
}

bool ForgetLogs(Bytes in, Manifest& manifest) {
  std::uint64_t before = 0;
  if (!EatVarint(in, before)) return false;
  manifest.logs.erase(manifest.logs.begin(), manifest.logs.lower_bound(before));
  return true;
}

// One record, field by field. The field that names the family may come after those it applies to.
class Change {
 public:
  bool Read(Bytes record, Manifest& manifest) {
    std::uint64_t tag = 0;
    while (!record.empty()) {
      if (!EatVarint(record, tag) || !ReadField(tag, record, manifest)) return false;
    }
    return true;
  }

  void Apply(Manifest& manifest) {
    if (dropped_) {
      manifest.families.erase(family_);
      std::erase_if(manifest.tables,
                    [this](const auto& table) { return table.second.family == family_; });
      return;
    }
    if (family_ == 0 || added_) manifest.families.try_emplace(family_);
    if (added_) manifest.families[family_].name = name_;
    if (log_number_ > 0) manifest.families[family_].first_log = log_number_;
    for (const std::uint64_t number : removed_) manifest.tables.erase(number);
    for (auto& [number, table] : tables_) {
      table.family = family_;
      manifest.tables.insert_or_assign(number, std::move(table));
    }
  }

 private:
  bool ReadField(std::uint64_t tag, Bytes& in, Manifest& manifest) {
    std::uint64_t number = 0;
    Bytes sized;
    switch (tag) {
      case kLogNumber: return EatVarint(in, log_number_);
      case kNextFileNumber:
      case kLastSequence:
      case kPrevLogNumber:
      case kMinLogNumberToKeep:
      case kMaxColumnFamily:
      case kInAtomicGroup: return EatVarint(in, number);
      case kComparator: return EatSized(in, sized);
      case kCompactCursor: return EatVarint(in, number) && EatSized(in, sized);
      case kDeletedFile:
        if (!EatVarint(in, number) || !EatVarint(in, number)) return false;
        removed_.push_back(number);
        return true;
      case kNewFile4: return EatTable(in, number, tables_.emplace_back().second) && SetLast(number);
      case kColumnFamily:
        if (!EatVarint(in, number)) return false;
        family_ = static_cast<std::uint32_t>(number);
        return true;
      case kColumnFamilyAdd:
        if (!EatSized(in, sized)) return false;
        name_ = sized;
        added_ = true;
        return true;
      case kColumnFamilyDrop: dropped_ = true; return true;
      case kWalAddition: return EatSized(in, sized) && AddLog(sized, manifest);
      case kWalDeletion: return EatSized(in, sized) && ForgetLogs(sized, manifest);
      default: return (tag & kMayBeSkipped) != 0 && EatSized(in, sized);
    }
  }

  bool SetLast(std::uint64_t number) {
    tables_.back().first = number;
    return true;
  }

  std::uint32_t family_ = 0;
  std::uint64_t log_number_ = 0;
  std::string name_;
  bool added_ = false;
  bool dropped_ = false;
  std::vector<std::uint64_t> removed_;
  std::vector<std::pair<std::uint64_t, ManifestTable>> tables_;
};

}  // namespace

bool ApplyManifestRecord(Bytes record, Manifest& manifest) {
  Change change;
  if (!change.Read(record, manifest)) return false;
  change.Apply(manifest);
  return true;
}

Result<Manifest> ReadManifest(rocksdb::Env& env, const std::string& path) {
  Manifest manifest;
  manifest.families[0].name = "default";  // RocksDB's first family is added by no record.
  bool good = true;
  std::uint64_t records = 0;
  MAYFLY_TRY(const FramedReport report, ForEachRecord(env, path, [&](const FramedRecord& record) {
               ++records;
               good = good && ApplyManifestRecord(record.bytes, manifest);
             }));
  if (good && records > 0 && report.damaged.empty() && !report.ends_within_a_record) {
    return manifest;
  }
  return Status::Corruption("it is damaged");
}

std::uint64_t NewestLogAtLeast(const Manifest& manifest) {
  std::uint64_t newest = manifest.logs.empty() ? 0 : manifest.logs.rbegin()->first + 1;
  for (const auto& [id, family] : manifest.families) newest = std::max(newest, family.first_log);
  return newest;
}

Result<Manifest> ReadCurrentManifest(rocksdb::Env& env, const std::string& directory) {
  std::string name;
  const rocksdb::Status read = ReadFileToString(&env, directory + "/CURRENT", &name);
  if (!read.ok()) return Status::Corruption("CURRENT cannot be read");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return ReadManifest(env, directory + "/" + name);
}

}  // namespace mayfly::engine
