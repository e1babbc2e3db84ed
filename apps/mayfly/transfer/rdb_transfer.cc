#include "apps/mayfly/transfer/rdb_transfer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "rdb/rdb_reader.h"
#include "rdb/rdb_writer.h"
#include "server/dump/dump_payload.h"
#include "server/dump/rows_of_file.h"

namespace mayfly::app {
namespace {

class RowsToImport final : public server::RowsOfFile {
 public:
  RowsToImport(bool one_keyspace, Target& target, Importer& importer)
      : one_keyspace_(one_keyspace), target_(target), importer_(importer) {}

  const std::vector<std::string>& libraries() const { return libraries_; }

  std::string LeftOut() const {
    const std::string text = LeftOutText();
    if (empty_keys_ == 0) return text;
    return fmt::format("{}{} x {}", text.empty() ? "" : text + ", ", empty_keys_, kEmptyKey);
  }

 private:
  Status Take(server::RowPart part) override {
    if (part.key.name.empty() && !HoldsEmptyKey(target_)) {
      empty_keys_ += part.last ? 1 : 0;
      return {};
    }
    if (part.first) {
      ++keys_;
      MAYFLY_RETURN_IF_ERROR(Choose(part.key.database));
    }
    // Parts of a large collection have no deadline before all are there.
    const auto deadline = part.first && part.last ? part.key.deadline : std::nullopt;
    TargetRow row = WholeRow(part.key.name, deadline, std::move(part.value));
    if (part.first && part.last) return importer_.Add(std::move(row), keys_);
    if (part.first) {
      MAYFLY_RETURN_IF_ERROR(importer_.Flush());  // A key may be there twice: order counts.
      return target_.Import({std::move(row)}).status();
    }
    if (row.bytes() > 0 || row.collection->stream) MAYFLY_RETURN_IF_ERROR(target_.Extend(row));
    if (!part.last) return {};
    Status given;
    if (part.key.deadline) {
      given = target_.Expire(part.key.name, Lifetime::Until(*part.key.deadline));
    }
    const auto ttl = target_.Ttl(part.key.name);
    importer_.Count(1, ttl ? 1 : 0);
    return given.IsNotFound() ? Status() : given;
  }

  // They belong to all numbered databases, and to no keyspace.
  Status Function(const std::string& text) override {
    if (one_keyspace_) return RowsOfFile::Function(text);
    libraries_.push_back(text);
    return {};
  }

  Status Choose(int database) {
    if (database == database_) return {};
    if (one_keyspace_ && database_ >= 0) {
      return Status::Invalid(
          fmt::format("the file has keys of databases {} and {}; leave out --keyspace, and each "
                      "comes to its own",
                      database_, database));
    }
    MAYFLY_RETURN_IF_ERROR(importer_.Flush());
    database_ = database;
    return one_keyspace_ ? Status() : target_.UseDatabase(database);
  }

  const bool one_keyspace_;
  Target& target_;
  Importer& importer_;
  std::vector<std::string> libraries_;
  std::uint64_t keys_ = 0;
  std::uint64_t empty_keys_ = 0;  // That were left out.
  int database_ = -1;             // None yet.
};

Status WriteAll(std::FILE* file, const std::string& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size()) return {};
  return Status::IoError(std::strerror(errno));
}

}  // namespace

bool HoldsEmptyKey(const Target& target) { return IsUrl(target.name()); }

Result<std::size_t> FileSource::Read(char* to, std::size_t bytes_max) {
  if (!progress_(bytes_)) return Status::Conflict("interrupted");
  const std::size_t count = std::fread(to, 1, bytes_max, file_);
  if (count == 0 && std::ferror(file_) != 0) return Status::IoError(std::strerror(errno));
  bytes_ += count;
  return count;
}

Status ImportRdb(rdb::ByteSource& source, bool one_keyspace, Target& target, Importer& importer,
                 std::string& left_out, std::string* rest) {
  rdb::Input in(source, rdb::kElementBudget);
  RowsToImport rows(one_keyspace, target, importer);
  const Status read = rdb::ReadRdb(in, rows);
  left_out = rows.LeftOut();
  MAYFLY_RETURN_IF_ERROR(read);
  if (rest != nullptr) *rest = in.rest();
  MAYFLY_RETURN_IF_ERROR(importer.Flush());
  return target.AddLibraries(rows.libraries());
}

Result<RdbExportCounts> ExportRdb(const RdbExport& what, Target& target, std::FILE* file,
                                  const std::function<bool(std::uint64_t rows)>& progress) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  RdbExportCounts counts;
  rdb::Writer writer(what.version);
  writer.Aux("redis-ver", what.version > rdb::kRdbVersion ? "7.4.0" : "7.0.0");
  writer.Aux("redis-bits", "64");
  Status written;
  const auto write_row = [&](const TargetRow& row) {
    if (row.lacks_members()) {
      ++counts.with_max_age;
      return true;
    }
    server::DumpedValue string;
    if (!row.collection) string.text = row.value;
    const server::DumpedValue& value = row.collection ? *row.collection : string;
    if (server::HasFieldDeadlines(value) && what.version < rdb::kRdbVersionWithFieldDeadlines) {
      ++counts.with_field_deadlines;
      return true;
    }
    writer.Key(row.key, row.deadline, server::EncodeValue(value));
    ++counts.rows;
    if (writer.size() >= kPieceBytes) written = WriteAll(file, writer.Take());
    return written.ok() && progress(counts.rows);
  };
  std::vector<int> databases;
  if (!what.one_keyspace) {
    MAYFLY_TRY(databases, target.ListDatabases());
  }
  if (!what.one_keyspace && what.prefix.empty()) {
    MAYFLY_TRY(const auto libraries, target.Libraries());
    for (const std::string& text : libraries) writer.Function(text);
  }
  const bool one = databases.empty();
  if (one) databases = {0};
  for (const int database : databases) {
    if (!one) MAYFLY_RETURN_IF_ERROR(target.UseDatabase(database));
    writer.Database(database);
    MAYFLY_RETURN_IF_ERROR(target.Scan({.prefix = what.prefix,
                                        .with_collections = true,
                                        .without_max_ages = what.without_max_ages},
                                       write_row));
    MAYFLY_RETURN_IF_ERROR(written);
  }
  writer.End();
  MAYFLY_RETURN_IF_ERROR(WriteAll(file, writer.Take()));
  return counts;
}

}  // namespace mayfly::app
