#include "apps/mayfly/shell/reply_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <string_view>

#include "apps/mayfly/terminal/text_table.h"
#include "base/printable.h"
#include "base/text.h"
#include "dynamo/json/base64.h"
#include "dynamo/json/json.h"

namespace mayfly::app {
namespace {

using Kind = Reply::Kind;

constexpr std::size_t kCellMax = 60;

bool IsList(const Reply& reply) {
  return reply.kind == Kind::kArray || reply.kind == Kind::kSet || reply.kind == Kind::kPush;
}

bool IsScalar(const Reply& reply) { return !IsList(reply) && reply.kind != Kind::kMap; }

std::string_view WithoutFormat(const Reply& reply) {
  const std::string_view text = reply.text();
  return reply.kind == Kind::kVerbatim && text.size() > 4 ? text.substr(4) : text;
}

// Of a value that is none of lists and maps.
std::string Plain(const Reply& reply) {
  switch (reply.kind) {
    case Kind::kNull:
    case Kind::kNullArray: return "";
    case Kind::kInteger: return std::to_string(reply.integer());
    case Kind::kDouble: return fmt::format("{}", reply.number());
    case Kind::kBoolean: return reply.boolean() ? "true" : "false";
    default: return std::string(WithoutFormat(reply));
  }
}

std::string ForPeople(const Reply& reply) {
  switch (reply.kind) {
    case Kind::kNull:
    case Kind::kNullArray: return "(nothing)";
    case Kind::kError:
    case Kind::kBulkError: return "(error) " + reply.text();
    case Kind::kVerbatim: return Plain(reply);
    case Kind::kBulk: {
      // Text of several lines, such as that of INFO, as it is.
      const bool lines = reply.text().find("\r\n") != std::string::npos;
      return lines ? reply.text() : Quoted(reply.text());
    }
    default: return Plain(reply);
  }
}

std::string CellOf(const Reply& reply) {
  if (IsScalar(reply)) return Printable(Plain(reply), kCellMax);
  return fmt::format("({} items)", reply.items().size() / (reply.kind == Kind::kMap ? 2 : 1));
}

// Maps with the same names in the same order, all of scalars.
bool IsTable(const Reply& reply) {
  if (!IsList(reply) || reply.items().size() < 2) return false;
  const Reply& first = reply.items().front();
  return std::all_of(reply.items().begin(), reply.items().end(), [&](const Reply& one) {
    if (one.kind != Kind::kMap || one.items().size() != first.items().size()) return false;
    for (std::size_t i = 0; i < one.items().size(); i += 2) {
      if (!IsScalar(one.items()[i]) || Plain(one.items()[i]) != Plain(first.items()[i])) {
        return false;
      }
    }
    return true;
  });
}

std::string Indented(const std::string& text, std::size_t columns) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    out += (at == 0 ? "" : std::string(columns, ' ')) + text.substr(at, end + 1 - at);
    at = end + 1;
  }
  return out;
}

std::string Draw(const Reply& reply, const Output& output);

std::string DrawTable(const Reply& reply, const Output& output) {
  std::vector<TextTable::Column> columns;
  const Reply::Items& first = reply.items().front().items();
  for (std::size_t i = 0; i < first.size(); i += 2) {
    columns.push_back({CellOf(first[i]), first[i + 1].kind == Kind::kInteger
                                             ? TextTable::Align::kRight
                                             : TextTable::Align::kLeft});
  }
  TextTable table(std::move(columns));
  for (const Reply& one : reply.items()) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < one.items().size(); i += 2) {
      cells.push_back(CellOf(one.items()[i + 1]));
    }
    table.Add(std::move(cells));
  }
  const std::string text = table.ToString();
  const std::size_t end = text.find('\n');
  return output.Bold(text.substr(0, end)) + text.substr(end);
}

std::string DrawMap(const Reply& reply, const Output& output) {
  std::size_t width = 0;
  const Reply::Items& items = reply.items();
  for (std::size_t i = 0; i < items.size(); i += 2)
    width = std::max(width, CellOf(items[i]).size());
  std::string text;
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const std::string name = fmt::format("{:<{}}  ", CellOf(items[i]), width);
    const Reply& value = items[i + 1];
    text += output.Bold(name) +
            (IsScalar(value) ? CellOf(value) + "\n"
                             : "\n" + std::string(2, ' ') + Indented(Draw(value, output), 2));
  }
  return text.empty() ? "(empty)\n" : text;
}

std::string Draw(const Reply& reply, const Output& output) {
  if (reply.is_error()) return output.Alarm(ForPeople(reply)) + "\n";
  if (IsScalar(reply)) {
    std::string text = ForPeople(reply);
    if (text.empty() || text.back() != '\n') text.push_back('\n');
    return text;
  }
  if (reply.kind == Kind::kMap) return DrawMap(reply, output);
  if (IsTable(reply)) return DrawTable(reply, output);
  if (reply.items().empty()) return "(empty)\n";
  const std::size_t width = std::to_string(reply.items().size()).size();
  std::string text;
  for (std::size_t i = 0; i < reply.items().size(); ++i) {
    text +=
        fmt::format("{:>{}}) ", i + 1, width) + Indented(Draw(reply.items()[i], output), width + 2);
  }
  return text;
}

void AppendRaw(const Reply& reply, std::string& out) {
  if (IsScalar(reply)) {
    // Text of several lines, such as that of INFO, as it is.
    const bool lines = reply.kind == Kind::kVerbatim;
    out += lines ? Plain(reply) : Cell::Text(Plain(reply)).Raw();
    if (!lines) out.push_back('\n');
    if (out.empty() || out.back() != '\n') out.push_back('\n');
    return;
  }
  for (const Reply& one : reply.items()) AppendRaw(one, out);
}

// A name of an object in JSON is text. A map with others is a list of pairs.
bool HasTextNames(const Reply& map) {
  for (std::size_t i = 0; i < map.items().size(); i += 2) {
    const Reply& name = map.items()[i];
    if (!IsScalar(name) || !IsUtf8(Plain(name))) return false;
  }
  return true;
}

boost::json::value ToJson(const Reply& reply) {
  const auto text = [](std::string_view bytes) -> boost::json::value {
    if (IsUtf8(bytes)) return boost::json::string(dynamo::ToJson(bytes));
    return boost::json::object{
        {"base64", boost::json::string(dynamo::ToJson(dynamo::ToBase64(bytes)))}};
  };
  switch (reply.kind) {
    case Kind::kNull:
    case Kind::kNullArray: return nullptr;
    case Kind::kInteger: return reply.integer();
    case Kind::kDouble: return reply.number();
    case Kind::kBoolean: return reply.boolean();
    case Kind::kError:
    case Kind::kBulkError: return boost::json::object{{"error", text(reply.text())}};
    case Kind::kMap: {
      if (!HasTextNames(reply)) {
        boost::json::array pairs;
        for (std::size_t i = 0; i + 1 < reply.items().size(); i += 2) {
          pairs.push_back(
              boost::json::array{ToJson(reply.items()[i]), ToJson(reply.items()[i + 1])});
        }
        return pairs;
      }
      boost::json::object object;
      for (std::size_t i = 0; i + 1 < reply.items().size(); i += 2) {
        object.insert_or_assign(dynamo::ToJson(Plain(reply.items()[i])),
                                ToJson(reply.items()[i + 1]));
      }
      return object;
    }
    case Kind::kArray:
    case Kind::kSet:
    case Kind::kPush: {
      boost::json::array array;
      for (const Reply& one : reply.items()) array.push_back(ToJson(one));
      return array;
    }
    default: return text(WithoutFormat(reply));
  }
}

}  // namespace

std::string ReplyText(const Reply& reply, const Output& output) {
  if (output.human()) return Draw(reply, output);
  if (output.form() == Output::Form::kJson) return boost::json::serialize(ToJson(reply)) + "\n";
  std::string text;
  AppendRaw(reply, text);
  return text;
}

}  // namespace mayfly::app
