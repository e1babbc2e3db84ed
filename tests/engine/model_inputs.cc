#include "tests/engine/model_inputs.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "tests/engine/deadline_policy.h"

namespace mayfly::engine::suite {

Address ModelInputs::AnyRole() { return kAllRoles[random_.Below(kRoleCount)]; }

Address ModelInputs::LastingRole() {
  const Address at = AnyRole();
  return at.role == kDyingRole ? kRows : at;
}

std::string ModelInputs::Key() {
  constexpr std::string_view kAlphabet("\0ab\xff", 4);
  std::string key(random_.Between(1, 4), '\0');
  for (char& byte : key) byte = kAlphabet[random_.Below(kAlphabet.size())];
  return key;
}

std::string ModelInputs::Value(Role role) {
  const std::uint64_t size = random_.OneIn(50) ? random_.Below(8192) : random_.Below(60);
  std::string payload = random_.Bytes(size);
  if (role != kDyingRole) return payload;
  if (random_.OneIn(2)) return Immortal(payload);
  return Mortal(random_.Between(kDyingNowMs - 1, kDyingNowMs + 1), payload);
}

OwnedRange ModelInputs::Range() {
  OwnedRange range;
  if (random_.OneIn(2)) range.begin = Key();
  if (random_.OneIn(2)) range.end = Key();
  if (!range.end.empty() && range.begin > range.end) std::swap(range.begin, range.end);
  return range;
}

Durability ModelInputs::AnyDurability() {
  if (random_.OneIn(30)) return Durability::kDisk;
  return random_.OneIn(5) ? Durability::kNone : Durability::kProcess;
}

void ModelInputs::AddChange(Batch& batch) {
  const Address at = AnyRole();
  const std::uint64_t draw = random_.Below(20);
  if (draw < 13) {
    batch.Put(at, Key(), Value(at.role));
  } else if (draw < 19) {
    batch.Delete(at, Key());
  } else {
    // A short range most of the time, or the maps would always be nearly empty.
    std::string begin = Key();
    std::string end = random_.OneIn(8) ? Key() : begin + Key();
    if (begin > end) std::swap(begin, end);
    batch.DeleteRange(at, begin, end);
  }
}

void ModelInputs::AddCondition(Batch& batch, const Model& model) {
  const Address at = LastingRole();
  const std::string key = Key();
  const std::string* found = model.Find(at, key);
  if (random_.OneIn(8)) {
    batch.Require(at, key, Value(at.role));
  } else if (random_.OneIn(8) || found == nullptr) {
    batch.RequireAbsent(at, key);
  } else {
    batch.Require(at, key, *found);
  }
}

std::string Describe(const Batch& batch) {
  std::string text;
  for (std::size_t i = 0; i < batch.condition_count(); ++i) {
    const auto condition = batch.condition(i);
    text += fmt::format("{} {} '{}'; ", condition.expected ? "require" : "require absent",
                        RoleName(condition.at.role), Printable(condition.key));
  }
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const auto change = batch.change(i);
    const auto role = RoleName(change.at.role);
    const std::string key = Printable(change.key);
    switch (change.kind) {
      case Batch::Kind::kPut:
        text += fmt::format("put {} '{}' {} bytes; ", role, key, change.value.size());
        break;
      case Batch::Kind::kDelete: text += fmt::format("delete {} '{}'; ", role, key); break;
      case Batch::Kind::kDeleteRange:
        text += fmt::format("delete {} ['{}', '{}'); ", role, key, Printable(change.value));
        break;
    }
  }
  return text;
}

}  // namespace mayfly::engine::suite
