#include "dynamo/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/serializer.hpp>
#include <boost/json/value_stack.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dynamo/limits.h"

namespace mayfly::dynamo {
namespace {

using ErrorCode = json::error_code;

// Builds the value, and remembers the names of every object that is open.
struct TreeHandler {
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  json::value_stack stack;
  std::vector<std::vector<std::string>> names;
  std::string key;
  bool twice = false;

  bool on_document_begin(ErrorCode&) {
    stack.reset();
    return true;
  }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_object_begin(ErrorCode&) {
    names.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t count, ErrorCode& error) {
    std::vector<std::string> own = std::move(names.back());
    names.pop_back();
    std::sort(own.begin(), own.end());
    if (std::adjacent_find(own.begin(), own.end()) != own.end()) {
      twice = true;
      error = json::error::syntax;
      return false;
    }
    stack.push_object(count);
    return true;
  }
  bool on_array_begin(ErrorCode&) { return true; }
  bool on_array_end(std::size_t count, ErrorCode&) {
    stack.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, ErrorCode&) {
    key.append(part.data(), part.size());
    stack.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, ErrorCode&) {
    key.append(part.data(), part.size());
    names.back().push_back(std::move(key));
    key.clear();
    stack.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, ErrorCode&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t, ErrorCode&) {
    stack.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view, ErrorCode&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, ErrorCode&) {
    stack.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, ErrorCode&) {
    stack.push_uint64(number);
    return true;
  }
  bool on_double(double number, json::string_view, ErrorCode&) {
    stack.push_double(number);
    return true;
  }
  bool on_bool(bool value, ErrorCode&) {
    stack.push_bool(value);
    return true;
  }
  bool on_null(ErrorCode&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, ErrorCode&) { return true; }
  bool on_comment(json::string_view, ErrorCode&) { return true; }
};

}  // namespace

Result<json::value> ParseJson(std::string_view text) {
  json::parse_options options;
  options.max_depth = kJsonDepthMax;
  json::basic_parser<TreeHandler> parser(options);
  ErrorCode error;
  std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  while (!error && read < text.size() && std::string_view(" \t\r\n").find(text[read]) < 4) ++read;
  if (parser.handler().twice) return Status::Invalid("a name is there twice in one object");
  if (error) return Status::Invalid(fmt::format("no JSON: {}", error.message()));
  if (read < text.size()) return Status::Invalid("bytes follow the JSON");
  return parser.handler().stack.release();
}

json::value NumberOf(double number) {
  constexpr double kExactMax = 9e15;
  if (std::trunc(number) == number && std::abs(number) < kExactMax) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

std::string ToText(const json::object& object) {
  json::serializer serializer;
  serializer.reset(&object);
  std::string text;
  char piece[16 * 1024];
  while (!serializer.done()) {
    const json::string_view part = serializer.read(piece, sizeof piece);
    text.append(part.data(), part.size());
  }
  return text;
}

}  // namespace mayfly::dynamo
