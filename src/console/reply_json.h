// reply_json.h - replies of commands as JSON, and their arguments from it.
//   reply                           JSON
//   string                          "text", or {"base64": "..."} when it is not UTF-8
//   status, verbatim, big number    "text"
//   integer                         number; {"integer": "digits"} beyond 2^53, where JSON's lose digits
//   double                          number; {"double": "inf"}, "-inf", "nan"
//   null, boolean                   null, true, false
//   array, set, push                [...]
//   map                             {"map": [[key, value], ...]}: keys need not be text, nor different
//   error                           {"error": "NOPERM ..."}
// A string is never an object and an array never a map, so nothing that is stored can look like
// another kind of reply.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "mayfly/result.h"
#include "wire/reply.h"

namespace mayfly::console {

// Whether all of the bytes are UTF-8, without surrogates.
bool IsUtf8(Bytes bytes);

void AppendJson(const Reply& reply, std::string& out);

// The arguments of one command: an array of strings and {"base64": "..."}. Invalid for anything
// else.
Result<std::vector<std::string>> ArgumentsOf(const boost::json::value& command);

}  // namespace mayfly::console
