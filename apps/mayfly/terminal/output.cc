#include "apps/mayfly/terminal/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "apps/mayfly/terminal/text_table.h"
#include "apps/mayfly/terminal/units.h"
#include "base/printable.h"
#include "base/text.h"
#include "dynamo/json/base64.h"
#include "dynamo/json/json.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kHumanTextMax = 60;

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// The bytes of a sequence that begins with `lead`, 0: it can begin none.
std::size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

// UTF-8 stays as it is: a file of lines is text. Other bytes are escaped.
std::string Escaped(mayfly::Bytes bytes) {
  const bool is_text = IsUtf8(bytes);
  std::string text;
  for (const char byte : bytes) {
    switch (byte) {
      case '\t': text += "\\t"; break;
      case '\n': text += "\\n"; break;
      case '\r': text += "\\r"; break;
      case '\\': text += "\\\\"; break;
      default:
        if (IsPrintable(byte) || (is_text && static_cast<unsigned char>(byte) >= 0x80)) {
          text.push_back(byte);
        } else {
          AppendEscape(text, byte);
        }
    }
  }
  return text;
}

TextTable::Align AlignOf(const Cell& cell) {
  return cell.kind() == Cell::Kind::kText || cell.kind() == Cell::Kind::kNothing ||
                 cell.kind() == Cell::Kind::kInstant
             ? TextTable::Align::kLeft
             : TextTable::Align::kRight;
}

// "due_rows" -> "due rows".
std::string Title(std::string name) {
  for (char& c : name) c = c == '_' ? ' ' : c;
  return name;
}

}  // namespace

Cell Cell::Real(double number) {
  Cell cell(Kind::kReal, {}, 0);
  cell.real_ = number;
  return cell;
}

std::string Cell::ForPeople() const {
  switch (kind_) {
    case Kind::kNothing: return "-";
    case Kind::kText: return Printable(text_, kHumanTextMax);
    case Kind::kCount: return std::to_string(static_cast<std::uint64_t>(number_));
    case Kind::kSize: return SizeToText(static_cast<std::uint64_t>(number_));
    case Kind::kLength: return ToText(Millis(number_), 2);
    case Kind::kInstant: return ToText(WallTimeFromMs(number_));
    case Kind::kYesNo: return number_ != 0 ? "yes" : "no";
    case Kind::kReal: return fmt::format("{:.1f}", real_);
  }
  return {};
}

std::string Cell::Raw() const {
  switch (kind_) {
    case Kind::kNothing: return "";
    case Kind::kText: return Escaped(text_);
    case Kind::kYesNo: return number_ != 0 ? "yes" : "no";
    case Kind::kReal: return fmt::format("{}", real_);
    case Kind::kCount: return std::to_string(static_cast<std::uint64_t>(number_));
    default: return std::to_string(number_);
  }
}

bool IsUtf8(Bytes bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = SequenceLength(lead);
    if (length == 0 || i + length > bytes.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(bytes[i + k]) & 0xC0) != 0x80) return false;
    }
    // Overlong forms, surrogates, and what lies beyond Unicode.
    const auto second = static_cast<unsigned char>(length > 1 ? bytes[i + 1] : 0);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
      return false;
    }
    i += length;
  }
  return true;
}

std::string JsonOf(const std::vector<Field>& fields) {
  using dynamo::ToJson;
  boost::json::object object;
  for (const auto& [name, cell] : fields) {
    switch (cell.kind()) {
      case Cell::Kind::kNothing: object.emplace(ToJson(name), nullptr); break;
      case Cell::Kind::kYesNo: object.emplace(ToJson(name), cell.number() != 0); break;
      case Cell::Kind::kReal: object.emplace(ToJson(name), dynamo::NumberOf(cell.real())); break;
      case Cell::Kind::kText:
        if (IsUtf8(cell.text())) {
          object.emplace(ToJson(name), ToJson(cell.text()));
        } else {
          object.emplace(ToJson(name + "_base64"), ToJson(dynamo::ToBase64(cell.text())));
        }
        break;
      default: object.emplace(ToJson(name), cell.number());
    }
  }
  return dynamo::ToText(object);
}

Output::Output(const OutputFlags& flags) {
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  form_ = flags.json ? Form::kJson : (flags.raw || !terminal ? Form::kRaw : Form::kHuman);
  const char* const refused = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  color_ = form_ == Form::kHuman && terminal && !flags.no_color &&
           (refused == nullptr || *refused == '\0') &&
           (kind == nullptr || std::string_view(kind) != "dumb");
}

void Output::Note(std::string_view line) const {
  if (human()) Print(fmt::format("{}\n", line));
}

void Output::Bytes(mayfly::Bytes bytes) const { Print(bytes); }

void Output::Record(const std::vector<Field>& fields) const {
  if (form_ == Form::kJson) {
    Print(JsonOf(fields) + "\n");
    return;
  }
  std::size_t width = 0;
  for (const auto& [name, cell] : fields) width = std::max(width, name.size());
  for (const auto& [name, cell] : fields) {
    Print(human() ? fmt::format("{:<{}}  {}\n", Title(name), width, cell.ForPeople())
                  : fmt::format("{}\t{}\n", name, cell.Raw()));
  }
}

void Output::Row(std::vector<Field> fields) {
  if (human()) {
    rows_.push_back(std::move(fields));
    return;
  }
  if (form_ == Form::kJson) {
    Print(JsonOf(fields) + "\n");
    return;
  }
  std::string line;
  for (const auto& [name, cell] : fields) line += cell.Raw() + "\t";
  line.back() = '\n';
  Print(line);
}

void Output::End() {
  if (rows_.empty()) return;
  std::vector<TextTable::Column> columns;
  for (const auto& [name, cell] : rows_.front()) columns.push_back({Title(name), AlignOf(cell)});
  TextTable table(std::move(columns));
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const auto& [name, cell] : row) cells.push_back(cell.ForPeople());
    table.Add(std::move(cells));
  }
  const std::string text = table.ToString();
  const std::size_t title_end = text.find('\n');
  if (!has_titles_) Print(Bold(text.substr(0, title_end)) + "\n");
  Print(text.substr(title_end + 1));
  has_titles_ = true;
  rows_.clear();
}

std::string Output::Paint(std::string_view text, std::string_view code) const {
  return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace mayfly::app
