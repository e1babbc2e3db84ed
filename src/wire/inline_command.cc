#include "wire/inline_command.h"

#include <cstddef>

#include "base/text.h"

namespace mayfly {
namespace {

// What ends an argument outside quotes. Redis leaves vertical tab and form feed out here, though
// they are blanks between arguments.
bool EndsArgument(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

char ControlOf(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
  }
}

// Reads one argument and writes it in place. An argument never grows by resolving escapes, so the
// output stays behind the input.
class ArgumentReader {
 public:
  ArgumentReader(char* at, char* last) : first_(at), at_(at), out_(at), last_(last) {}

  // False: an unbalanced quote.
  bool Read() {
    while (at_ != last_ && !EndsArgument(*at_)) {
      const char c = *at_++;
      // A quote that closes ends the argument as well.
      if (c == '"') return ReadDoubleQuoted();
      if (c == '\'') return ReadSingleQuoted();
      *out_++ = c;
    }
    return true;
  }

  char* at() const { return at_; }
  Bytes argument() const { return {first_, static_cast<std::size_t>(out_ - first_)}; }

 private:
  bool ReadDoubleQuoted() {
    while (at_ != last_) {
      const char c = *at_++;
      if (c == '"') return ClosesWell();
      *out_++ = c == '\\' && at_ != last_ ? ReadEscape() : c;
    }
    return false;
  }

  char ReadEscape() {
    if (*at_ == 'x' && last_ - at_ >= 3) {
      const int high = HexValue(at_[1]);
      const int low = HexValue(at_[2]);
      if (high >= 0 && low >= 0) {
        at_ += 3;
        return static_cast<char>(high * 16 + low);
      }
    }
    return ControlOf(*at_++);
  }

  bool ReadSingleQuoted() {
    while (at_ != last_) {
      const char c = *at_++;
      if (c == '\'') return ClosesWell();
      if (c == '\\' && at_ != last_ && *at_ == '\'') {
        *out_++ = *at_++;
      } else {
        *out_++ = c;
      }
    }
    return false;
  }

  bool ClosesWell() const { return at_ == last_ || IsSpace(*at_); }

  char* const first_;
  char* at_;
  char* out_;
  char* const last_;
};

}  // namespace

bool SplitInlineCommand(char* first, char* last, std::vector<Bytes>& args) {
  while (true) {
    while (first != last && IsSpace(*first)) ++first;
    if (first == last) return true;
    ArgumentReader reader(first, last);
    if (!reader.Read()) return false;
    args.push_back(reader.argument());
    first = reader.at();
  }
}

}  // namespace mayfly
