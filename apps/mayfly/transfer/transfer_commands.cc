#include "apps/mayfly/transfer/transfer_commands.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/mayfly/cli/progress.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"
#include "apps/mayfly/transfer/aof_import.h"
#include "apps/mayfly/transfer/importer.h"
#include "apps/mayfly/transfer/open_file.h"
#include "apps/mayfly/transfer/rdb_transfer.h"
#include "apps/mayfly/transfer/row_format.h"
#include "rdb/rdb_types.h"
#include "tables/schema/table_names.h"

namespace mayfly::app {
namespace {

struct TransferFlags {
  TargetFlags target;
  std::string file = "-";
  std::string format;
  std::string prefix;
  int rdb_version = rdb::kRdbVersion;
  bool without_max_ages = false;

  bool is_rdb() const { return format.empty() ? file.ends_with(".rdb") : format == "rdb"; }
  bool is_aof() const {
    if (!format.empty()) return format == "aof";
    return file.ends_with(".aof") || file.ends_with(".manifest") || file.ends_with("appendonlydir");
  }
};

RowFormat FormatOf(const TransferFlags& flags) {
  if (!flags.format.empty()) return flags.format == "csv" ? RowFormat::kCsv : RowFormat::kJsonLines;
  return flags.file.ends_with(".csv") ? RowFormat::kCsv : RowFormat::kJsonLines;
}

Status CannotOpen(const std::string& path) {
  return Status::IoError(fmt::format("{}: {}", path, std::strerror(errno)));
}

struct ExportCounts {
  std::uint64_t rows = 0;
  std::uint64_t collections = 0;  // Left out.
  std::uint64_t streams = 0;      // Left out.
};

Result<ExportCounts> WriteRows(const TransferFlags& flags, Target& target, OpenFile& file) {
  const RowFormat format = FormatOf(flags);
  ExportCounts counts;
  ProgressBar bar("export", ProgressBar::Unit::kRows);
  std::fputs(TitleLine(format).c_str(), file.get());
  const bool all = HoldsCollections(format);
  const ScanRange range{.prefix = flags.prefix, .with_collections = all};
  MAYFLY_RETURN_IF_ERROR(target.Scan(range, [&](const TargetRow& row) {
    if (row.type != "string" && !all) {
      ++counts.collections;
      return true;
    }
    if (row.type == "stream") {
      ++counts.streams;
      return true;
    }
    const std::string line = LineOf(format, row);
    std::fwrite(line.data(), 1, line.size(), file.get());
    ++counts.rows;
    return std::ferror(file.get()) == 0 && bar.Report(counts.rows, 0);
  }));
  return counts;
}

// Tables are no part of any keyspace that can be chosen. A server's user may be refused the
// statistics: then the export is no worse.
void ReportTables(Target& target) {
  const auto statistics = target.Stats();
  if (!statistics) return;
  std::uint64_t items = 0;
  for (const KeyspaceStatistics& one : statistics->keyspaces) {
    if (tables::IsItemsOfATable(one.name)) items += one.rows - one.due_rows;
  }
  if (items == 0) return;
  fmt::print(stderr, "mayfly: {} of tables not exported; `mayfly backup` has them\n",
             Counted(items, "item"));
}

Result<ExportCounts> WriteRdb(const TransferFlags& flags, Target& target, OpenFile& file) {
  ProgressBar bar("export", ProgressBar::Unit::kRows);
  const RdbExport what{.version = flags.rdb_version,
                       .one_keyspace = !flags.target.keyspace.empty(),
                       .without_max_ages = flags.without_max_ages,
                       .prefix = flags.prefix};
  MAYFLY_TRY(
      const RdbExportCounts counts,
      ExportRdb(what, target, file.get(), [&](std::uint64_t rows) { return bar.Report(rows, 0); }));
  return ExportCounts{.rows = counts.rows,
                      .collections = counts.with_field_deadlines,
                      .streams = counts.with_max_age};
}

constexpr const char* kCsvLeaves = "CSV holds strings alone; JSON lines hold all rows but streams";
constexpr const char* kRdbLeaves =
    "their fields have deadlines, which Redis reads since 7.4: --rdb-version 12 holds them";
constexpr const char* kRdbLeavesStreams =
    "they have a max age, and an RDB file holds no deadlines of entries; `mayfly backup` has "
    "them,\n"
    "and with --no-max-age their entries are written, to live for ever";
constexpr const char* kJsonLeavesStreams =
    "JSON lines hold none; an RDB file does, and `mayfly backup`";

Result<ExitCode> RunExport(const TransferFlags& flags) {
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  OpenFile file(flags.file, "wbx", stdout);
  if (file.get() == nullptr) return CannotOpen(flags.file);
  const auto counts =
      flags.is_rdb() ? WriteRdb(flags, *target, file) : WriteRows(flags, *target, file);
  const bool written = file.Close();
  if ((!counts || !written || Interrupted()) && flags.file != "-") {
    std::error_code ignored;
    std::filesystem::remove(flags.file, ignored);
  }
  MAYFLY_RETURN_IF_ERROR(counts.status());
  if (!written) return flags.file == "-" ? Result<ExitCode>(kExitFailed) : CannotOpen(flags.file);
  ReportTables(*target);
  if (counts->collections > 0) {
    fmt::print(stderr, "mayfly: {} left out: {}\n", Counted(counts->collections, "collection"),
               flags.is_rdb() ? kRdbLeaves : kCsvLeaves);
  }
  if (counts->streams > 0) {
    fmt::print(stderr, "mayfly: {} left out: {}\n", Counted(counts->streams, "stream"),
               flags.is_rdb() ? kRdbLeavesStreams : kJsonLeavesStreams);
  }
  return counts->collections + counts->streams == 0 ? kExitDone : kExitFoundFault;
}

Status ReadRows(const TransferFlags& flags, std::FILE* file, Importer& importer) {
  std::error_code ignored;
  const auto size = flags.file == "-" ? 0 : std::filesystem::file_size(flags.file, ignored);
  const auto reader = RowReader::New(FormatOf(flags), file);
  ProgressBar bar("import", ProgressBar::Unit::kBytes);
  while (bar.Report(reader->bytes_read(), ignored ? 0 : size)) {
    MAYFLY_TRY(std::optional<TargetRow> row, reader->Next());
    if (!row) break;
    MAYFLY_RETURN_IF_ERROR(importer.Add(*std::move(row), reader->line()));
  }
  if (Interrupted()) return {};  // Batches that were written stay.
  const Status whole = std::ferror(file) == 0 ? Status() : Status::IoError(std::strerror(errno));
  MAYFLY_RETURN_IF_ERROR(importer.Flush());
  return whole;
}

Status ReadRdbRows(const TransferFlags& flags, std::FILE* file, Target& target, Importer& importer,
                   std::string& left_out) {
  std::error_code ignored;
  const auto size = flags.file == "-" ? 0 : std::filesystem::file_size(flags.file, ignored);
  ProgressBar bar("import", ProgressBar::Unit::kBytes);
  FileSource source(file,
                    [&](std::uint64_t bytes) { return bar.Report(bytes, ignored ? 0 : size); });
  const Status read = ImportRdb(source, !flags.target.keyspace.empty(), target, importer, left_out);
  return Interrupted() ? Status() : read;  // Batches that were written stay.
}

Status ReadAll(const TransferFlags& flags, std::FILE* file, Target& target, Importer& importer,
               std::string& left_out) {
  if (flags.is_aof()) {
    const Status read = ImportAof(flags.file, target, importer, left_out);
    return Interrupted() ? Status() : read;
  }
  return flags.is_rdb() ? ReadRdbRows(flags, file, target, importer, left_out)
                        : ReadRows(flags, file, importer);
}

Result<ExitCode> RunImport(const TransferFlags& flags) {
  if (flags.is_aof() && !flags.target.keyspace.empty()) {
    return Status::Invalid("an AOF goes to the numbered databases; leave out --keyspace");
  }
  const OpenFile file(flags.file, "rb", stdin);
  if (file.get() == nullptr) return CannotOpen(flags.file);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  Importer importer(*target, flags.is_rdb() || flags.is_aof() ? "key" : "line");
  std::string left_out;
  const Status read = ReadAll(flags, file.get(), *target, importer, left_out);
  if ((read.ok() && !Interrupted()) || importer.rows() > 0) target->Keep();
  if (!read.ok()) {
    return Status(read.code(), fmt::format("{}: {}; {} before it are imported", flags.file,
                                           read.message(), Counted(importer.rows(), "row")));
  }
  fmt::print("{} imported, {} had died\n", Counted(importer.rows(), "row"), importer.dead());
  if (left_out.empty()) return kExitDone;
  fmt::print(stderr, "mayfly: left out, since there is no such type here: {}\n", left_out);
  return kExitFoundFault;
}

void AddFormat(CLI::App& command, TransferFlags& flags, std::vector<std::string> formats,
               const std::string& redis_files) {
  command
      .add_option(
          "--format", flags.format,
          "jsonl, csv, or " + redis_files +
              " of Redis (default: by the ending of FILE,\n"
              "otherwise jsonl). An RDB file holds all numbered databases; with --keyspace, one.")
      ->check(CLI::IsMember(std::move(formats)));
  AddKeyspace(command, flags.target);
}

}  // namespace

void AddImport(Commands& commands) {
  const auto flags = std::make_shared<TransferFlags>();
  CLI::App* const import = commands.Add(
      commands.app(), "import",
      "Write rows from JSON lines, CSV, or an RDB file or AOF of Redis 5 to 7.4, over those\n"
      "under the same keys. A row whose deadline has passed deletes the one under its key: it\n"
      "would have replaced it and died. Exit code 3 says that something was left out:\n"
      "modules' values, functions.",
      {"mayfly import data rows.jsonl --create", "mayfly import --url redis://localhost rows.csv",
       "mayfly import data /var/lib/redis/dump.rdb --create",
       "mayfly import data /var/lib/redis/appendonlydir --create",
       "mayfly export old | mayfly import new -"},
      [=] { return RunImport(*flags); });
  AddTarget(*import, flags->target);
  import->add_option("FILE", flags->file, "The file to read; -: standard input (default).");
  AddFormat(*import, *flags, {"jsonl", "csv", "rdb", "aof"}, "rdb and aof, the files");
  flags->target.any_instant = true;
  AddCreate(*import, flags->target);
}

void AddExport(Commands& commands) {
  const auto flags = std::make_shared<TransferFlags>();
  CLI::App* const command = commands.Add(
      commands.app(), "export",
      "Write rows as JSON lines, CSV or an RDB file that redis-server loads, with their\n"
      "deadlines. CSV holds strings alone: exit code 3 says that collections were left out.",
      {"mayfly export data rows.jsonl", "mayfly export --url redis://localhost rows.csv",
       "mayfly export data dump.rdb", "mayfly export data --prefix user: | gzip > users.jsonl.gz"},
      [=] { return RunExport(*flags); });
  AddTarget(*command, flags->target);
  command->add_option("FILE", flags->file,
                      "The file to write, which must not exist; -: standard output (default).");
  command->add_option("--prefix", flags->prefix, "Only keys that begin with this.");
  command
      ->add_option("--rdb-version", flags->rdb_version,
                   "Of an RDB file: 10, which Redis 7.0 loads (default), or 12, for deadlines of\n"
                   "hashes' fields.")
      ->check(CLI::IsMember({10, 12}));
  command->add_flag(
      "--no-max-age", flags->without_max_ages,
      "In an RDB file: streams with a max age, too. Their living entries live for ever\n"
      "where the file is loaded, unless XTRIM or XDEL removes them.");
  AddFormat(*command, *flags, {"jsonl", "csv", "rdb"}, "rdb, the file");
}

}  // namespace mayfly::app
