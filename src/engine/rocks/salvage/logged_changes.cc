#include "engine/rocks/salvage/logged_changes.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <utility>

#include "base/coding.h"

namespace mayfly::engine {
namespace {

// Decodes a batch. Each change has a sequence number of its own, from the batch's on.
class Changes final : public rocksdb::WriteBatch::Handler {
 public:
  Changes(const LoggedChanges::RoleOf& role_of, std::uint64_t sequence)
      : role_of_(role_of), sequence_(sequence) {}

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    return Take(family, {.key = key.ToString(), .deleted = false, .value = value.ToString()});
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return Take(family, {.key = key.ToString(), .deleted = true, .value = {}});
  }
  rocksdb::Status SingleDeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    return DeleteCF(family, key);
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t family, const rocksdb::Slice& begin,
                                const rocksdb::Slice& end) override {
    if (const Role* const role = role_of_(family)) {
      ranges_.emplace_back(*role, RangeTombstone{begin.ToString(), end.ToString(), sequence_});
    }
    ++sequence_;
    return {};
  }
  void LogData(const rocksdb::Slice& /*blob*/) override {}

  // Call it when the whole batch was decoded.
  void MoveTo(LoggedRole* roles) {
    for (auto& [role, entry] : rows_) {
      std::string key = entry.key;
      roles[static_cast<std::size_t>(role)].rows.insert_or_assign(std::move(key), std::move(entry));
    }
    for (auto& [role, range] : ranges_) {
      roles[static_cast<std::size_t>(role)].ranges.push_back(std::move(range));
    }
  }

 private:
  rocksdb::Status Take(std::uint32_t family, TableEntry entry) {
    entry.sequence = sequence_++;
    if (const Role* const role = role_of_(family)) rows_.emplace_back(*role, std::move(entry));
    return {};
  }

  const LoggedChanges::RoleOf& role_of_;
  std::uint64_t sequence_;
  std::vector<std::pair<Role, TableEntry>> rows_;
  std::vector<std::pair<Role, RangeTombstone>> ranges_;
};

// The batches of one log, in their order.
class LogReading {
 public:
  LogReading(LoggedRole* roles, const LoggedChanges::RoleOf& role_of)
      : roles_(roles), role_of_(role_of) {}

  void Take(const FramedRecord& record) {
    Logged batch{.bytes = std::string(record.bytes), .at = record.at};
    Bytes header = record.bytes;
    std::uint32_t count = 0;
    if (!EatLittleEndian64(header, batch.first) || !EatLittleEndian32(header, count)) {
      unreadable_.push_back(record.at);
      return;
    }
    batch.end = batch.first + count;
    if (record.is_found) {
      found_.push_back(std::move(batch));
    } else {
      TakeFound(batch.first);
      Apply(batch);
    }
  }

  // The unreadable ranges, those of `damaged` among them, in order and joined where they touch.
  std::vector<FileRange> Finish(std::vector<FileRange> damaged) {
    // Bytes in the form of a record within another come first; the last one is the log's own.
    if (!found_.empty()) TakeFound(found_.back().end);
    unreadable_.insert(unreadable_.end(), damaged.begin(), damaged.end());
    std::sort(unreadable_.begin(), unreadable_.end(),
              [](const FileRange& a, const FileRange& b) { return a.offset < b.offset; });
    std::vector<FileRange> joined;
    for (const FileRange& range : unreadable_) {
      const std::uint64_t end = range.offset + range.bytes;
      if (joined.empty() || joined.back().offset + joined.back().bytes < range.offset) {
        joined.push_back(range);
      } else {
        joined.back().bytes = std::max(joined.back().bytes, end - joined.back().offset);
      }
    }
    return joined;
  }

 private:
  struct Logged {
    std::string bytes;
    FileRange at;
    std::uint64_t first = 0;  // Of its sequence numbers.
    std::uint64_t end = 0;
  };

  // Applies those found records whose numbers lie between the last one applied and `end`.
  void TakeFound(std::uint64_t end) {
    for (const Logged& batch : found_) {
      if (next_ <= batch.first && batch.end <= end) {
        Apply(batch);
      } else {
        unreadable_.push_back(batch.at);
      }
    }
    found_.clear();
  }

  void Apply(const Logged& batch) {
    Changes changes(role_of_, batch.first);
    if (!rocksdb::WriteBatch(batch.bytes).Iterate(&changes).ok()) {
      unreadable_.push_back(batch.at);
      return;
    }
    changes.MoveTo(roles_);
    next_ = batch.end;
  }

  LoggedRole* const roles_;
  const LoggedChanges::RoleOf& role_of_;
  std::uint64_t next_ = 0;     // The sequence number after the last one applied.
  std::vector<Logged> found_;  // After damage, until the next number is known: a block's worth.
  std::vector<FileRange> unreadable_;
};

}  // namespace

Result<std::vector<FileRange>> LoggedChanges::Add(rocksdb::Env& env, const std::string& path,
                                                  const RoleOf& role_of) {
  LogReading reading(roles_, role_of);
  MAYFLY_TRY(FramedReport report,
             ForEachRecord(env, path, [&](const FramedRecord& record) { reading.Take(record); }));
  return reading.Finish(std::move(report.damaged));
}

}  // namespace mayfly::engine
