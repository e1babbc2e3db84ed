#include "apps/mayfly/transfer/row_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "apps/mayfly/cli/output.h"
#include "apps/mayfly/cli/units.h"
#include "apps/mayfly/transfer/csv.h"
#include "base/text.h"
#include "dynamo/json/base64.h"
#include "dynamo/json/json.h"

namespace mayfly::app {
namespace {

Status AtLine(std::uint64_t line, std::string_view what) {
  return Status::Invalid(fmt::format("line {}: {}", line, what));
}

Result<std::string> FromBase64(std::uint64_t line, std::string_view text) {
  auto bytes = dynamo::FromBase64(text);
  if (!bytes) return AtLine(line, "bad Base64");
  return *std::move(bytes);
}

Result<WallTime> DeadlineFrom(std::uint64_t line, const std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(), IsDigit) && text.size() < 18;
  if (digits) return WallTimeFromMs(std::stoll(text));
  auto instant = ParseInstant(text);
  if (!instant) return AtLine(line, instant.error().message());
  return instant;
}

class JsonReader final : public RowReader {
 public:
  explicit JsonReader(std::FILE* file) : file_(file) {}

  Result<std::optional<TargetRow>> Next() override {
    std::string line;
    do {
      if (!ReadLine(file_, line)) return std::optional<TargetRow>();
    } while (line.find_first_not_of(" \t\r") == std::string::npos);
    const auto parsed = dynamo::ParseJson(line);
    if (!parsed || !parsed->is_object()) return AtLine(line_, "no JSON object");
    TargetRow row;
    MAYFLY_TRY(row.key, BytesUnder(parsed->get_object(), "key"));
    MAYFLY_TRY(row.value, BytesUnder(parsed->get_object(), "value"));
    const auto* const deadline = parsed->get_object().if_contains("deadline");
    if (deadline != nullptr && !deadline->is_null()) {
      if (deadline->is_int64()) {
        row.deadline = WallTimeFromMs(deadline->get_int64());
      } else if (deadline->is_string()) {
        MAYFLY_TRY(row.deadline,
                   DeadlineFrom(line_, std::string(dynamo::View(deadline->get_string()))));
      } else {
        return AtLine(line_, "'deadline' is neither a number of milliseconds nor an instant");
      }
    }
    return std::optional(std::move(row));
  }

 private:
  Result<std::string> BytesUnder(const boost::json::object& object, const std::string& name) const {
    if (const auto* const text = object.if_contains(name); text != nullptr && text->is_string()) {
      return std::string(dynamo::View(text->get_string()));
    }
    const auto* const coded = object.if_contains(name + "_base64");
    if (coded == nullptr || !coded->is_string()) {
      return AtLine(line_, fmt::format("there is no text under '{}' or '{}_base64'", name, name));
    }
    return FromBase64(line_, dynamo::View(coded->get_string()));
  }

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
      for (std::size_t i = 0; i < cells.size(); ++i) titles_[cells[i]] = i;
      if (!titles_.contains("key") || !titles_.contains("value")) {
        return AtLine(line_, "the titles must name 'key' and 'value'");
      }
    }
    MAYFLY_TRY(const bool any, ReadRecord(cells));
    if (!any) return std::optional<TargetRow>();
    if (cells.size() != titles_.size()) {
      return AtLine(line_, fmt::format("{} cells under {} titles", cells.size(), titles_.size()));
    }
    return RowOf(cells);
  }

 private:
  std::string Cell(const std::vector<std::string>& cells, const std::string& title) const {
    const auto found = titles_.find(title);
    return found == titles_.end() ? std::string() : cells[found->second];
  }

  Result<std::optional<TargetRow>> RowOf(const std::vector<std::string>& cells) const {
    TargetRow row{.key = Cell(cells, "key"), .value = Cell(cells, "value"), .deadline = {}};
    const std::string encoding = Cell(cells, "encoding");
    if (encoding == "base64") {
      MAYFLY_TRY(row.key, FromBase64(line_, row.key));
      MAYFLY_TRY(row.value, FromBase64(line_, row.value));
    } else if (!encoding.empty()) {
      return AtLine(line_, fmt::format("'{}' is no encoding; it is base64 or empty", encoding));
    }
    if (const std::string deadline = Cell(cells, "deadline"); !deadline.empty()) {
      MAYFLY_TRY(row.deadline, DeadlineFrom(line_, deadline));
    }
    return std::optional(std::move(row));
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
  ++line_;
  return c != EOF || !line.empty();
}

std::unique_ptr<RowReader> RowReader::New(RowFormat format, std::FILE* file) {
  if (format == RowFormat::kCsv) return std::make_unique<CsvRowReader>(file);
  return std::make_unique<JsonReader>(file);
}

std::string TitleLine(RowFormat format) {
  return format == RowFormat::kCsv ? "key,value,deadline,encoding\n" : "";
}

std::string LineOf(RowFormat format, const TargetRow& row) {
  if (format == RowFormat::kJsonLines) {
    return JsonOf({{"key", Cell::Text(row.key)},
                   {"deadline", Cell::Instant(row.deadline)},
                   {"value", Cell::Text(row.value)}}) +
           "\n";
  }
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
