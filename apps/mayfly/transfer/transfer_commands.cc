#include "apps/mayfly/transfer/transfer_commands.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "apps/mayfly/cli/progress.h"
#include "apps/mayfly/cli/units.h"
#include "apps/mayfly/interrupt.h"
#include "apps/mayfly/transfer/row_format.h"
#include "tables/schema/table_names.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kBatchRows = 1000;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

struct TransferFlags {
  TargetFlags target;
  std::string file = "-";
  std::string format;
  std::string prefix;
};

RowFormat FormatOf(const TransferFlags& flags) {
  if (!flags.format.empty()) return flags.format == "csv" ? RowFormat::kCsv : RowFormat::kJsonLines;
  return flags.file.ends_with(".csv") ? RowFormat::kCsv : RowFormat::kJsonLines;
}

// A file, or one of the standard streams for "-".
class OpenFile {
 public:
  OpenFile(const std::string& path, const char* mode, std::FILE* standard)
      : file_(path == "-" ? standard : std::fopen(path.c_str(), mode)), own_(path != "-") {}
  ~OpenFile() { static_cast<void>(Close()); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::FILE* get() const { return file_; }

  // False when something could not be written.
  bool Close() {
    if (file_ == nullptr) return true;
    bool good = std::ferror(file_) == 0 && std::fflush(file_) == 0;
    if (own_) good = std::fclose(file_) == 0 && good;
    file_ = nullptr;
    return good;
  }

 private:
  std::FILE* file_;
  const bool own_;
};

Status CannotOpen(const std::string& path) {
  return Status::IoError(fmt::format("{}: {}", path, std::strerror(errno)));
}

struct ExportCounts {
  std::uint64_t rows = 0;
  std::uint64_t collections = 0;
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
    const std::string line = LineOf(format, row);
    std::fwrite(line.data(), 1, line.size(), file.get());
    ++counts.rows;
    return std::ferror(file.get()) == 0 && bar.Tell(counts.rows, 0);
  }));
  return counts;
}

// Tables are no part of any keyspace that can be chosen. A server's user may be refused the
// statistics: then the export is no worse.
void TellOfTables(Target& target) {
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

Result<ExitCode> RunExport(const TransferFlags& flags) {
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  OpenFile file(flags.file, "wbx", stdout);
  if (file.get() == nullptr) return CannotOpen(flags.file);
  const auto counts = WriteRows(flags, *target, file);
  const bool written = file.Close();
  if ((!counts || !written || Interrupted()) && flags.file != "-") {
    std::error_code ignored;
    std::filesystem::remove(flags.file, ignored);
  }
  MAYFLY_RETURN_IF_ERROR(counts.status());
  if (!written) return flags.file == "-" ? Result<ExitCode>(kExitFailed) : CannotOpen(flags.file);
  TellOfTables(*target);
  if (counts->collections == 0) return kExitDone;
  fmt::print(stderr, "mayfly: {} left out: CSV holds strings alone; JSON lines hold all rows\n",
             Counted(counts->collections, "collection"));
  return kExitFoundFault;
}

// Rows go to the target in batches, which says how many of them live.
class Importer {
 public:
  explicit Importer(Target& target) : target_(target) {}

  Status Add(TargetRow row) {
    bytes_ += row.key.size() + row.bytes();
    batch_.push_back(std::move(row));
    return batch_.size() >= kBatchRows || bytes_ >= kBatchBytes ? Flush() : Status();
  }

  Status Flush() {
    if (batch_.empty()) return {};
    MAYFLY_TRY(const std::uint64_t living, target_.Import(batch_));
    rows_ += living;
    dead_ += batch_.size() - living;
    batch_.clear();
    bytes_ = 0;
    return {};
  }

  std::uint64_t rows() const { return rows_; }
  std::uint64_t dead() const { return dead_; }

 private:
  Target& target_;
  std::vector<TargetRow> batch_;
  std::size_t bytes_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t dead_ = 0;
};

Status ReadRows(const TransferFlags& flags, std::FILE* file, Importer& importer) {
  std::error_code ignored;
  const auto size = flags.file == "-" ? 0 : std::filesystem::file_size(flags.file, ignored);
  const auto reader = RowReader::New(FormatOf(flags), file);
  ProgressBar bar("import", ProgressBar::Unit::kBytes);
  while (bar.Tell(reader->bytes_read(), ignored ? 0 : size)) {
    MAYFLY_TRY(std::optional<TargetRow> row, reader->Next());
    if (!row) break;
    MAYFLY_RETURN_IF_ERROR(importer.Add(*std::move(row)));
  }
  if (Interrupted()) return {};  // Batches that were written stay.
  const Status whole = std::ferror(file) == 0 ? Status() : Status::IoError(std::strerror(errno));
  MAYFLY_RETURN_IF_ERROR(importer.Flush());
  return whole;
}

Result<ExitCode> RunImport(const TransferFlags& flags) {
  const OpenFile file(flags.file, "rb", stdin);
  if (file.get() == nullptr) return CannotOpen(flags.file);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  Importer importer(*target);
  const Status read = ReadRows(flags, file.get(), importer);
  if (!read.ok()) {
    return Status(read.code(), fmt::format("{}: {}; {} before it are imported", flags.file,
                                           read.message(), Counted(importer.rows(), "row")));
  }
  fmt::print("{} imported, {} had died\n", Counted(importer.rows(), "row"), importer.dead());
  return kExitDone;
}

void AddFormat(CLI::App& command, TransferFlags& flags) {
  command
      .add_option("--format", flags.format,
                  "jsonl or csv (default: by the ending of FILE, otherwise jsonl).")
      ->check(CLI::IsMember({"jsonl", "csv"}));
  AddKeyspace(command, flags.target);
}

}  // namespace

void AddImport(Commands& commands) {
  const auto flags = std::make_shared<TransferFlags>();
  CLI::App* const import = commands.Add(
      commands.app(), "import",
      "Write rows from JSON lines or CSV, over those under the same keys. A row whose deadline\n"
      "has passed deletes the one under its key: it would have replaced it and died.",
      {"mayfly import data rows.jsonl --create", "mayfly import --url redis://localhost rows.csv",
       "mayfly export old | mayfly import new -"},
      [=] { return RunImport(*flags); });
  AddTarget(*import, flags->target);
  import->add_option("FILE", flags->file, "The file to read; -: standard input (default).");
  AddFormat(*import, *flags);
  AddCreate(*import, flags->target);
}

void AddExport(Commands& commands) {
  const auto flags = std::make_shared<TransferFlags>();
  CLI::App* const command = commands.Add(
      commands.app(), "export",
      "Write rows as JSON lines or CSV, with their deadlines. CSV holds strings alone: exit code "
      "3\n"
      "says that collections were left out.",
      {"mayfly export data rows.jsonl", "mayfly export --url redis://localhost rows.csv",
       "mayfly export data --prefix user: | gzip > users.jsonl.gz"},
      [=] { return RunExport(*flags); });
  AddTarget(*command, flags->target);
  command->add_option("FILE", flags->file,
                      "The file to write, which must not exist; -: standard output (default).");
  command->add_option("--prefix", flags->prefix, "Only keys that begin with this.");
  AddFormat(*command, *flags);
}

}  // namespace mayfly::app
