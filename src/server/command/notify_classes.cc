#include "server/command/notify_classes.h"

#include <string_view>

namespace mayfly::server {
namespace {

// In the order Redis writes them; the first ten are what 'A' stands for. Beside 'A' it does not
// write the next one, 'n', either.
constexpr std::string_view kLetters = "g$lshzxetdnKEm";
constexpr std::size_t kLettersOfAll = 10;
constexpr std::size_t kLettersHiddenByAll = 11;

constexpr std::uint32_t BitOf(char letter) { return std::uint32_t{1} << kLetters.find(letter); }
constexpr std::uint32_t kAll = (std::uint32_t{1} << kLettersOfAll) - 1;

}  // namespace

std::optional<NotifyClasses> NotifyClasses::Parse(Bytes letters) {
  std::uint32_t bits = 0;
  for (const char letter : letters) {
    if (letter == 'A') {
      bits |= kAll;
    } else if (kLetters.find(letter) != std::string_view::npos) {
      bits |= BitOf(letter);
    } else {
      return std::nullopt;
    }
  }
  return NotifyClasses(bits);
}

std::string NotifyClasses::ToString() const {
  std::string text;
  const bool all = (bits_ & kAll) == kAll;
  if (all) text.push_back('A');
  for (std::size_t i = all ? kLettersHiddenByAll : 0; i < kLetters.size(); ++i) {
    if (Has(kLetters[i])) text += kLetters[i];
  }
  return text;
}

bool NotifyClasses::Wants(NotifyClass kind) const {
  return Has(static_cast<char>(kind)) && (Has('K') || Has('E'));
}

bool NotifyClasses::Has(char letter) const { return (bits_ & BitOf(letter)) != 0; }

}  // namespace mayfly::server
