#include "apps/mayfly/transfer/row_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "apps/mayfly/terminal/output.h"
#include "apps/mayfly/transfer/csv.h"
#include "apps/mayfly/transfer/json_rows.h"
#include "base/printable.h"
#include "dynamo/json/base64.h"

namespace mayfly::app {
namespace {

Status AtLine(std::uint64_t line, std::string_view what) {
  return Status::Invalid(fmt::format("line {}: {}", line, what));
}

class JsonReader final : public RowReader {
 public:
  explicit JsonReader(std::FILE* file) : file_(file) {}

  Result<std::optional<TargetRow>> Next() override {
    std::string line;
    do {
      if (!ReadLine(file_, line)) return std::optional<TargetRow>();
    } while (line.find_first_not_of(" \t\r") == std::string::npos);
    auto row = RowFromJson(line);
    if (!row) return AtLine(line_, row.error().message());
    return std::optional(*std::move(row));
  }

 private:
  std::FILE* const file_;
};

class CsvRowReader final : public RowReader {
 public:
  explicit CsvRowReader(std::FILE* file) : file_(file) {}

  Result<std::optional<TargetRow>> Next() override {
    std::vector<std::string> cells;
    if (titles_.empty()) {
      MAYFLY_TRY(const bool any, ReadRecord(cells));
      if (!any) return std::optional<TargetRow>();
      MAYFLY_RETURN_IF_ERROR(ReadTitles(cells));
    }
    MAYFLY_TRY(const bool any, ReadRecord(cells));
    if (!any) return std::optional<TargetRow>();
    if (cells.size() != titles_.size()) {
      return AtLine(line_, fmt::format("{} cells under {} titles", cells.size(), titles_.size()));
    }
    auto row = RowOf(cells);
    if (!row) return AtLine(line_, row.error().message());
    return std::optional(*std::move(row));
  }

 private:
  Status ReadTitles(const std::vector<std::string>& cells) {
    constexpr std::string_view kKnown[] = {"key", "value", "deadline", "encoding"};
    std::map<std::string, std::size_t> titles;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (std::find(std::begin(kKnown), std::end(kKnown), cells[i]) == std::end(kKnown)) {
        return AtLine(line_, fmt::format("there is no column '{}'; there are {}",
                                         Printable(cells[i]), fmt::join(kKnown, ", ")));
      }
      if (!titles.emplace(cells[i], i).second) {
        return AtLine(line_, fmt::format("the column '{}' is there twice", cells[i]));
      }
    }
    if (!titles.contains("key") || !titles.contains("value")) {
      return AtLine(line_, "the titles must name 'key' and 'value'");
    }
    titles_ = std::move(titles);
    return {};
  }

  std::string Cell(const std::vector<std::string>& cells, const std::string& title) const {
    const auto found = titles_.find(title);
    return found == titles_.end() ? std::string() : cells[found->second];
  }

  Result<TargetRow> RowOf(const std::vector<std::string>& cells) const {
    TargetRow row{.key = Cell(cells, "key"),
                  .value = Cell(cells, "value"),
                  .deadline = std::nullopt,
                  .collection = std::nullopt};
    const std::string encoding = Cell(cells, "encoding");
    if (encoding == "base64") {
      MAYFLY_TRY(row.key, BytesFromBase64(row.key));
      MAYFLY_TRY(row.value, BytesFromBase64(row.value));
    } else if (!encoding.empty()) {
      return Status::Invalid(fmt::format("'{}' is no encoding; it is base64 or empty", encoding));
    }
    if (const std::string deadline = Cell(cells, "deadline"); !deadline.empty()) {
      MAYFLY_TRY(row.deadline, DeadlineFrom(deadline));
    }
    return row;
  }

  // False at the end of the file.
  Result<bool> ReadRecord(std::vector<std::string>& cells) {
    std::string record;
    std::string line;
    while (ReadLine(file_, line)) {
      record += line;
      if (IsWholeRecord(record)) {
        if (!SplitRecord(record, cells)) return AtLine(line_, "a quote within a cell");
        return true;
      }
      record += '\n';
    }
    if (!record.empty()) return AtLine(line_, "a quote is not closed");
    return false;
  }

  std::FILE* const file_;
  std::map<std::string, std::size_t> titles_;
};

}  // namespace

bool RowReader::ReadLine(std::FILE* file, std::string& line) {
  line.clear();
  int c = 0;
  while ((c = ::getc_unlocked(file)) != EOF && c != '\n') line.push_back(static_cast<char>(c));
  bytes_read_ += line.size() + 1;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (line_ == 0 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  ++line_;
  if (std::ferror(file) != 0) return false;  // Also Ctrl-C: half a line is no row.
  return c != EOF || !line.empty();
}

std::unique_ptr<RowReader> RowReader::New(RowFormat format, std::FILE* file) {
  if (format == RowFormat::kCsv) return std::make_unique<CsvRowReader>(file);
  return std::make_unique<JsonReader>(file);
}

std::string TitleLine(RowFormat format) {
  return format == RowFormat::kCsv ? "key,value,deadline,encoding\n" : "";
}

bool HoldsCollections(RowFormat format) { return format == RowFormat::kJsonLines; }

std::string LineOf(RowFormat format, const TargetRow& row) {
  if (format == RowFormat::kJsonLines) return JsonOf(row) + "\n";
  // A carriage return before a line break would be lost to some programs: such a row is coded, too.
  const auto plain = [](Bytes bytes) {
    return IsUtf8(bytes) && bytes.find('\0') == Bytes::npos && bytes.find('\r') == Bytes::npos;
  };
  const bool coded = !plain(row.key) || !plain(row.value);
  return fmt::format("{},{},{},{}\n", CsvCell(coded ? dynamo::ToBase64(row.key) : row.key),
                     CsvCell(coded ? dynamo::ToBase64(row.value) : row.value),
                     row.deadline ? std::to_string(ToMs(*row.deadline)) : "",
                     coded ? "base64" : "");
}

}  // namespace mayfly::app
