#include "base/printable.h"

#include "base/text.h"

namespace mayfly {

std::string Printable(Bytes bytes, std::size_t bytes_max) {
  std::string text;
  for (const char byte : bytes.substr(0, bytes_max)) {
    if (IsPrintable(byte) && byte != '\\') {
      text.push_back(byte);
    } else {
      AppendEscape(text, byte);
    }
  }
  if (bytes.size() > bytes_max) text.append("...");
  return text;
}

std::string Quoted(Bytes bytes) {
  constexpr std::string_view kControls = "\n\r\t\a\b";
  constexpr std::string_view kControlLetters = "nrtab";
  std::string text = "\"";
  for (const char byte : bytes) {
    if (byte == '\\' || byte == '"') {
      text.append({'\\', byte});
    } else if (const auto control = kControls.find(byte); control != kControls.npos) {
      text.append({'\\', kControlLetters[control]});
    } else if (IsPrintable(byte)) {
      text.push_back(byte);
    } else {
      AppendEscape(text, byte);
    }
  }
  return text + "\"";
}

}  // namespace mayfly
