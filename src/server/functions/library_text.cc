#include "server/functions/library_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"
#include "wire/inline_command.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kNameOption = "name=";

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

Status CheckLibraryName(Bytes name) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), IsNameCharacter)) return {};
  return Status::Invalid(
      "Library names can only contain letters, numbers, or underscores(_) and must be at least one "
      "character long");
}

Result<LibraryText> ParseLibraryText(Bytes text) {
  if (!text.starts_with("#!")) return Status::Invalid("Missing library metadata");
  const std::size_t end = text.find('\n');
  if (end == Bytes::npos) return Status::Invalid("Invalid library metadata");
  std::string line(text.substr(0, end));
  std::vector<Bytes> words;
  if (!SplitInlineCommand(line.data(), line.data() + line.size(), words) || words.empty()) {
    return Status::Invalid("Invalid library metadata");
  }
  LibraryText library;
  bool named = false;
  for (Bytes word : std::span(words).subspan(1)) {
    if (ToLower(word.substr(0, kNameOption.size())) != kNameOption) {
      return Status::Invalid(fmt::format("Invalid metadata value given: {}", word));
    }
    if (named) {
      return Status::Invalid("Invalid metadata value, name argument was given multiple times");
    }
    named = true;
    library.name = word.substr(kNameOption.size());
  }
  if (!named) return Status::Invalid("Library name was not given");
  MAYFLY_RETURN_IF_ERROR(CheckLibraryName(library.name));
  const Bytes engine = words[0].substr(2);
  if (ToLower(engine) != "lua") {
    return Status::Invalid(fmt::format("Engine '{}' not found", engine));
  }
  library.body = std::string(text.substr(end));
  return library;
}

}  // namespace mayfly::server
