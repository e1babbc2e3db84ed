// requests.h - what a parser made of some bytes, as a value to compare.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "wire/request_parser.h"

namespace mayfly {

using Command = std::vector<std::string>;

struct Requests {
  std::vector<Command> commands;
  RequestError error = RequestError::kNone;
  std::string error_text;

  friend bool operator==(const Requests&, const Requests&) = default;
};

// Feeds the pieces, taking all commands after each.
inline Requests ParsePieces(const std::vector<Bytes>& pieces, RequestParser& parser) {
  Requests got;
  for (const Bytes piece : pieces) {
    parser.Feed(piece);
    while (parser.Next() == RequestParser::Outcome::kCommand) {
      got.commands.emplace_back(parser.args().begin(), parser.args().end());
    }
  }
  got.error = parser.error();
  got.error_text = std::string(parser.error_text());
  return got;
}

inline Requests ParsePieces(const std::vector<Bytes>& pieces, const RequestLimits& limits = {},
                            bool unauthenticated = false) {
  RequestParser parser(limits);
  parser.set_unauthenticated(unauthenticated);
  return ParsePieces(pieces, parser);
}

// The command as a client sends it.
inline std::string Multibulk(const Command& command) {
  std::string wire = "*" + std::to_string(command.size()) + "\r\n";
  for (const std::string& arg : command) {
    wire += "$" + std::to_string(arg.size()) + "\r\n" + arg + "\r\n";
  }
  return wire;
}

}  // namespace mayfly
