// command_manual.h - what COMMAND DOCS tells of a command, and its syntax as data.
// A syntax is one line, as people write it, and is parsed when a client asks:
//   key value condition=[NX | XX] [GET] [EX seconds:int]
//   word            an argument; ":int", ":double", ":time", ":pattern", ":key" or ":string" behind
//                   it is its type, else it is a string. One named key is a key.
//   WORD            a word to be sent as it is, alone or in front of an argument or a group.
//   (a b), (a | b)  several together, or one of several.
//   [a], [a b]      the same, optional.
//   name=           in front of a group or a WORD: its name, where clients show one.
//   a..., a+        repeated, the second together with its WORD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mayfly::server {

struct CommandManual {
  // Implicit: a line without the rest is a line, and only a test of the whole table wants it.
  template <std::size_t kBytes>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr CommandManual(const char (&sentence)[kBytes]) : summary(sentence) {}
  constexpr CommandManual(std::string_view sentence, std::string_view version,
                          std::string_view cost, std::string_view arguments = {})
      : summary(sentence), since(version), complexity(cost), syntax(arguments) {}

  std::string_view summary;     // One sentence.
  std::string_view since;       // The version of Redis that brought it; of mayfly for its own.
  std::string_view complexity;  // Here, which need not be that of Redis.
  std::string_view syntax;      // Of the arguments behind the name.
};

struct SyntaxArgument {
  enum class Kind : std::uint8_t {
    kString,
    kInteger,
    kDouble,
    kTime,
    kPattern,
    kKey,
    kWord,  // Only its token.
    kOneOf,
    kBlock,
  };

  std::string name;
  Kind kind = Kind::kString;
  int key_spec = 0;   // Of a key: which specification it belongs to.
  std::string token;  // The word in front of it.
  bool optional = false;
  bool repeated = false;
  bool repeats_token = false;
  std::vector<SyntaxArgument> parts = {};  // Of kOneOf and kBlock.
};

// Nothing when it is malformed.
std::optional<std::vector<SyntaxArgument>> ParseSyntax(std::string_view syntax);

// For people: without types and names of groups.
std::string ShowSyntax(const std::vector<SyntaxArgument>& arguments);

}  // namespace mayfly::server
