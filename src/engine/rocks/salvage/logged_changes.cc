#include "engine/rocks/salvage/logged_changes.h"

#include <rocksdb/write_batch.h>

#include "base/coding.h"
#include "engine/rocks/rocks_status.h"
#include "engine/rocks/salvage/framed_records.h"

namespace mayfly::engine {
namespace {

// Takes a batch apart. Each change has a sequence number of its own, from the batch's on.
class Collect final : public rocksdb::WriteBatch::Handler {
 public:
  Collect(LoggedRole* roles, const LoggedChanges::RoleOf& role_of, std::uint64_t sequence)
      : roles_(roles), role_of_(role_of), sequence_(sequence) {}

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    return Take(family, key, {.key = {}, .deleted = false, .value = value.ToString()});
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return Take(family, key, {.key = {}, .deleted = true, .value = {}});
  }
  rocksdb::Status SingleDeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return DeleteCF(family, key);
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t family, const rocksdb::Slice& begin,
                                const rocksdb::Slice& end) override {
    if (LoggedRole* const role = Find(family)) {
      role->ranges.push_back({begin.ToString(), end.ToString(), sequence_});
    }
    ++sequence_;
    return {};
  }
  void LogData(const rocksdb::Slice& /*blob*/) override {}

 private:
  LoggedRole* Find(std::uint32_t family) const {
    const Role* const role = role_of_(family);
    return role == nullptr ? nullptr : &roles_[static_cast<std::size_t>(*role)];
  }

  rocksdb::Status Take(std::uint32_t family, const rocksdb::Slice& key, TableEntry entry) {
    entry.key = key.ToString();
    entry.sequence = sequence_++;
    if (LoggedRole* const role = Find(family)) {
      role->rows.insert_or_assign(key.ToString(), std::move(entry));
    }
    return {};
  }

  LoggedRole* const roles_;
  const LoggedChanges::RoleOf& role_of_;
  std::uint64_t sequence_;
};

}  // namespace

Result<std::uint64_t> LoggedChanges::Add(rocksdb::Env& env, const std::string& path,
                                         const RoleOf& role_of) {
  std::uint64_t unreadable = 0;
  MAYFLY_TRY(const FramedReport report, ForEachRecord(env, path, [&](Bytes record) {
               Bytes header = record;
               std::uint64_t sequence = 0;
               if (!EatLittleEndian64(header, sequence)) {
                 ++unreadable;
                 return;
               }
               const rocksdb::WriteBatch batch{std::string(record)};
               Collect collect(roles_, role_of, sequence);
               if (!batch.Iterate(&collect).ok()) ++unreadable;
             }));
  return report.damaged_places + unreadable;
}

}  // namespace mayfly::engine
