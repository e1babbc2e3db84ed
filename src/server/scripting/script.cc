#include "server/scripting/script.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "base/check.h"
#include "base/text.h"

namespace mayfly::server {
namespace {

struct FlagName {
  std::string_view name;
  bool ScriptFlags::*flag;
};

// clang-format off
constexpr FlagName kFlagNames[] = {
    {"no-writes",             &ScriptFlags::no_writes},
    {"allow-oom",             &ScriptFlags::allow_oom},
    {"allow-stale",           &ScriptFlags::allow_stale},
    {"no-cluster",            &ScriptFlags::no_cluster},
    {"allow-cross-slot-keys", &ScriptFlags::allow_cross_slot_keys},
};
// clang-format on

// Cuts off the text before the separator.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

Status ReadFlags(std::string_view names, ScriptFlags& flags) {
  if (names.empty()) return Status::Ok();
  const bool open_end = names.back() == ',';
  while (!names.empty()) {
    const std::string_view name = TakeUntil(names, ',');
    bool known = false;
    for (const FlagName& one : kFlagNames) {
      if (one.name != name) continue;
      flags.*one.flag = true;
      known = true;
    }
    if (!known) return Status::Invalid(fmt::format("Unexpected flag in script shebang: {}", name));
  }
  return open_end ? Status::Invalid("Unexpected flag in script shebang: ") : Status::Ok();
}

Status ReadFirstLine(std::string_view line, ScriptFlags& flags) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::string_view engine = TakeUntil(line, ' ');
  if (engine != "#!lua") {
    return Status::Invalid(fmt::format("Unexpected engine in script shebang: {}", engine));
  }
  flags.declared = true;
  while (!line.empty()) {
    std::string_view option = TakeUntil(line, ' ');
    if (option.empty()) continue;
    if (!option.starts_with("flags=")) {
      return Status::Invalid(fmt::format("Unknown lua shebang option: {}", option));
    }
    option.remove_prefix(std::string_view("flags=").size());
    if (Status status = ReadFlags(option, flags); !status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace

bool SetScriptFlag(Bytes name, ScriptFlags& flags) {
  for (const FlagName& one : kFlagNames) {
    if (one.name != ToLower(name)) continue;
    flags.*one.flag = true;
    return true;
  }
  return false;
}

std::vector<std::string_view> NamesOfFlags(const ScriptFlags& flags) {
  std::vector<std::string_view> names;
  for (const FlagName& one : kFlagNames) {
    if (flags.*one.flag) names.push_back(one.name);
  }
  return names;
}

std::string Sha1Hex(Bytes bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  const int made =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha1(), nullptr);
  MAYFLY_CHECK(made == 1, "OpenSSL has no SHA1");
  return ToHex(digest.data(), size);
}

Result<Script> ParseScript(Bytes text) {
  Script script;
  script.sha = Sha1Hex(text);
  if (text.starts_with("#!")) {
    const std::size_t end = text.find('\n');
    if (end == Bytes::npos) return Status::Invalid("Invalid script shebang");
    Status status = ReadFirstLine(text.substr(0, end), script.flags);
    if (!status.ok()) return status;
    text.remove_prefix(end);
  }
  script.body = std::string(text);
  return script;
}

}  // namespace mayfly::server
