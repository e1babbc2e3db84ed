// json.h - parses and writes JSON.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "mayfly/result.h"

namespace mayfly::dynamo {

namespace json = boost::json;

// Invalid: malformed JSON, bytes behind it, bad UTF-8, deeper than kJsonDepthMax, or an object with
// a name twice. Busy: not enough memory. The value lies in `memory`, which must outlive it;
// `scratch` is used meanwhile.
Result<json::value> ParseJson(std::string_view text, json::storage_ptr memory = {},
                              json::storage_ptr scratch = {});

std::string ToText(const json::object& object);
std::string ToText(const json::value& value);

// Whole numbers without a point or exponent.
json::value NumberOf(double number);

inline std::string_view View(const json::string& text) { return {text.data(), text.size()}; }
inline json::string_view ToJson(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace mayfly::dynamo
