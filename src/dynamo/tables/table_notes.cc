#include "dynamo/tables/table_notes.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace mayfly::dynamo {
namespace {

// Stored; append, never rename.
constexpr std::string_view kTag = "tag.";
constexpr const char* kBilling = "billing";
constexpr std::string_view kThroughput = "throughput.";
constexpr const char* kProtected = "protected";
constexpr const char* kClass = "class";

std::string NoteOf(const Notes& notes, const std::string& name) {
  const auto found = notes.find(name);
  return found == notes.end() ? std::string() : found->second;
}

std::string Named(std::string_view prefix, const std::string& name) {
  return std::string(prefix) + name;
}

std::int64_t StoredNumber(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::map<std::string, std::string> TagsOf(const Notes& notes) {
  std::map<std::string, std::string> tags;
  for (const auto& [name, value] : notes) {
    if (name.starts_with(kTag)) tags.emplace(name.substr(kTag.size()), value);
  }
  return tags;
}

void SetTag(Notes& notes, const std::string& key, const std::string& value) {
  notes[Named(kTag, key)] = value;
}

void RemoveTag(Notes& notes, const std::string& key) { notes.erase(Named(kTag, key)); }

Outcome<TtlMode> TtlModeOf(const Notes& notes) {
  const std::string mode = NoteOf(notes, Named(kTag, kTtlModeTag));
  if (mode.empty() || mode == "exact") return TtlMode::kExact;
  if (mode == "until-swept") return TtlMode::kUntilSwept;
  return Invalid(
      fmt::format("The tag {} is exact or until-swept, not '{}'", std::string(kTtlModeTag), mode));
}

Outcome<std::optional<Millis>> PurgeWithinOf(const Notes& notes) {
  const std::string text = NoteOf(notes, Named(kTag, kPurgeWithinTag));
  if (text.empty()) return std::optional<Millis>();
  const Millis promise(StoredNumber(text));
  if (fmt::format("{}", promise.count()) == text && promise > Millis(0))
    return std::optional(promise);
  return Invalid(fmt::format("The tag {} is a number of milliseconds, not '{}'",
                             std::string(kPurgeWithinTag), text));
}

bool IsPayPerRequest(const Notes& notes) { return NoteOf(notes, kBilling) == "PAY_PER_REQUEST"; }

void SetBilling(Notes& notes, bool pay_per_request) {
  notes[kBilling] = pay_per_request ? "PAY_PER_REQUEST" : "PROVISIONED";
}

Throughput ThroughputOf(const Notes& notes, const std::string& index) {
  const std::string note = NoteOf(notes, Named(kThroughput, index));
  const std::size_t space = note.find(' ');
  if (space == std::string::npos) return {};
  const std::string_view text = note;
  return {StoredNumber(text.substr(0, space)), StoredNumber(text.substr(space + 1))};
}

void SetThroughput(Notes& notes, const std::string& index, const Throughput& throughput) {
  notes[Named(kThroughput, index)] = fmt::format("{} {}", throughput.read, throughput.write);
}

void RemoveThroughputs(Notes& notes) {
  std::erase_if(notes, [](const auto& note) { return note.first.starts_with(kThroughput); });
}

bool IsProtected(const Notes& notes) { return NoteOf(notes, kProtected) == "yes"; }

void SetProtected(Notes& notes, bool is_protected) {
  notes[kProtected] = is_protected ? "yes" : "no";
}

std::string ClassOf(const Notes& notes) { return NoteOf(notes, kClass); }
void SetClass(Notes& notes, const std::string& name) { notes[kClass] = name; }

}  // namespace mayfly::dynamo
