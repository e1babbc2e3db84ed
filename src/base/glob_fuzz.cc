// Goal: the matcher agrees with a plain one. Method: the pattern becomes a list of sets of bytes
// and stars, and a table says which parts of the list match which parts of the text.
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/glob.h"

namespace mayfly {
namespace {

constexpr std::size_t kBytesMax = 200;

struct Element {
  bool star = false;
  std::bitset<256> bytes = {};
};

unsigned Lower(unsigned c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

class Reader {
 public:
  Reader(Bytes pattern, bool fold) : pattern_(pattern), fold_(fold) {}

  std::vector<Element> Read() {
    std::vector<Element> elements;
    while (!pattern_.empty()) {
      const unsigned c = Take();
      Element element;
      if (c == '*') {
        element.star = true;
      } else if (c == '?') {
        element.bytes.set();
      } else if (c == '[') {
        element.bytes = ReadClass();
      } else {
        Add(element.bytes, c == '\\' && !pattern_.empty() ? Take() : c);
      }
      elements.push_back(element);
    }
    return elements;
  }

 private:
  unsigned Peek(std::size_t i) const { return static_cast<unsigned char>(pattern_[i]); }

  unsigned Take() {
    const unsigned c = Peek(0);
    pattern_.remove_prefix(1);
    return c;
  }

  void Add(std::bitset<256>& bytes, unsigned wanted) const {
    for (unsigned c = 0; c < 256; ++c) {
      if (c == wanted || (fold_ && Lower(c) == Lower(wanted))) bytes.set(c);
    }
  }

  void AddRange(std::bitset<256>& bytes, unsigned first, unsigned last) const {
    if (first > last) std::swap(first, last);
    for (unsigned c = 0; c < 256; ++c) {
      const bool in =
          fold_ ? Lower(first) <= Lower(c) && Lower(c) <= Lower(last) : first <= c && c <= last;
      if (in) bytes.set(c);
    }
  }

  std::bitset<256> ReadClass() {
    std::bitset<256> bytes;
    const bool negated = pattern_.starts_with('^');
    if (negated) Take();
    while (!pattern_.empty()) {
      const unsigned c = Take();
      if (c == '\\' && !pattern_.empty()) {
        bytes.set(Take());
      } else if (c == ']') {
        break;
      } else if (pattern_.size() >= 2 && Peek(0) == '-') {
        Take();
        AddRange(bytes, c, Take());
      } else {
        Add(bytes, c);
      }
    }
    return negated ? ~bytes : bytes;
  }

  Bytes pattern_;
  const bool fold_;
};

bool MatchesPlainly(const std::vector<Element>& elements, Bytes text) {
  if (text.empty()) return elements.empty();
  std::vector<bool> reached(text.size() + 1, false);  // By the elements so far, for each prefix.
  reached[0] = true;
  for (const Element& element : elements) {
    std::vector<bool> next(text.size() + 1, false);
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (element.star) {
        next[i] = reached[i] || (i > 0 && next[i - 1]);
      } else if (i > 0) {
        next[i] = reached[i - 1] && element.bytes[static_cast<unsigned char>(text[i - 1])];
      }
    }
    reached = std::move(next);
  }
  return reached[text.size()];
}

}  // namespace
}  // namespace mayfly

// The input: how long the pattern is, and whether case counts; the pattern; the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using mayfly::Bytes;
  if (size == 0 || size > mayfly::kBytesMax) return 0;
  const bool fold = data[0] % 2 == 1;
  const Bytes input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Bytes pattern = input.substr(0, data[0] / 2);
  const Bytes text = input.substr(pattern.size());
  const bool expected = mayfly::MatchesPlainly(mayfly::Reader(pattern, fold).Read(), text);
  MAYFLY_CHECK(mayfly::GlobMatches(pattern, text,
                                   fold ? mayfly::GlobCase::kInsensitive
                                        : mayfly::GlobCase::kSensitive) == expected,
               "the matchers differ");
  return 0;
}
