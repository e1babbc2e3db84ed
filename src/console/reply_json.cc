#include "console/reply_json.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdint>

#include "base/printable.h"
#include "dynamo/json/base64.h"
#include "dynamo/json/json.h"

namespace mayfly::console {
namespace {

namespace json = boost::json;

constexpr std::int64_t kExactMax = std::int64_t{1} << 53;

void AppendText(Bytes text, std::string& out) { out += json::serialize(dynamo::ToJson(text)); }

void AppendBytes(Bytes bytes, std::string& out) {
  if (IsUtf8(bytes)) return AppendText(bytes, out);
  out += fmt::format(R"({{"base64":"{}"}})", dynamo::ToBase64(bytes));
}

void AppendError(Bytes text, std::string& out) {
  out += R"({"error":)";
  // An error may quote what a client sent.
  AppendText(IsUtf8(text) ? std::string(text) : Printable(text, text.size() + 1), out);
  out += '}';
}

void AppendDouble(double number, std::string& out) {
  if (std::isnan(number)) {
    out += R"({"double":"nan"})";
  } else if (std::isinf(number)) {
    out += number > 0 ? R"({"double":"inf"})" : R"({"double":"-inf"})";
  } else {
    out += fmt::format("{}", number);
  }
}

void AppendItems(const Reply::Items& items, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    AppendJson(items[i], out);
  }
  out += ']';
}

void AppendMap(const Reply::Items& items, std::string& out) {
  out += R"({"map":[)";
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    out += i > 0 ? ",[" : "[";
    AppendJson(items[i], out);
    out += ',';
    AppendJson(items[i + 1], out);
    out += ']';
  }
  out += "]}";
}

}  // namespace

// By the table of well-formed byte sequences in the Unicode standard.
bool IsUtf8(Bytes bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto at = [&](std::size_t offset) {
      return i + offset < bytes.size() ? static_cast<unsigned char>(bytes[i + offset]) : 0u;
    };
    const auto follows = [&](std::size_t offset) { return (at(offset) & 0xC0u) == 0x80u; };
    const unsigned first = at(0);
    std::size_t length = 1;
    if (first >= 0x80) {
      const unsigned second = at(1);
      if (first >= 0xC2 && first <= 0xDF) {
        length = 2;
      } else if (first >= 0xE0 && first <= 0xEF) {
        length = 3;
        if (first == 0xE0 && second < 0xA0) return false;
        if (first == 0xED && second > 0x9F) return false;
      } else if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        if (first == 0xF0 && second < 0x90) return false;
        if (first == 0xF4 && second > 0x8F) return false;
      } else {
        return false;
      }
      for (std::size_t offset = 1; offset < length; ++offset) {
        if (!follows(offset)) return false;
      }
    }
    i += length;
  }
  return true;
}

void AppendJson(const Reply& reply, std::string& out) {
  switch (reply.kind) {
    case Reply::Kind::kNull:
    case Reply::Kind::kNullArray: out += "null"; return;
    case Reply::Kind::kBoolean: out += reply.boolean() ? "true" : "false"; return;
    case Reply::Kind::kInteger:
      if (reply.integer() <= kExactMax && reply.integer() >= -kExactMax) {
        out += std::to_string(reply.integer());
      } else {
        out += fmt::format(R"({{"integer":"{}"}})", reply.integer());
      }
      return;
    case Reply::Kind::kDouble: AppendDouble(reply.number(), out); return;
    case Reply::Kind::kError:
    case Reply::Kind::kBulkError: AppendError(reply.text(), out); return;
    case Reply::Kind::kVerbatim: AppendBytes(Bytes(reply.text()).substr(4), out); return;
    case Reply::Kind::kSimpleString:
    case Reply::Kind::kBulk:
    case Reply::Kind::kBigNumber: AppendBytes(reply.text(), out); return;
    case Reply::Kind::kArray:
    case Reply::Kind::kSet:
    case Reply::Kind::kPush: AppendItems(reply.items(), out); return;
    case Reply::Kind::kMap: AppendMap(reply.items(), out); return;
  }
}

Result<std::vector<std::string>> ArgumentsOf(const json::value& command) {
  const Status wrong = Status::Invalid(
      "a command is an array of strings, or of {\"base64\": \"...\"} for bytes that are no text");
  const json::array* const words = command.if_array();
  if (words == nullptr || words->empty()) return wrong;
  std::vector<std::string> arguments;
  for (const json::value& word : *words) {
    if (const json::string* const text = word.if_string()) {
      arguments.emplace_back(dynamo::View(*text));
      continue;
    }
    const json::object* const object = word.if_object();
    const json::value* const bytes =
        object != nullptr && object->size() == 1 ? object->if_contains("base64") : nullptr;
    if (bytes == nullptr || !bytes->is_string()) return wrong;
    MAYFLY_TRY(std::string decoded, dynamo::FromBase64(dynamo::View(bytes->get_string())));
    arguments.push_back(std::move(decoded));
  }
  return arguments;
}

}  // namespace mayfly::console
