#include "tests/engine/model.h"

namespace mayfly::engine::suite {

const std::string* Model::Find(Address at, Bytes key) const {
  const auto found = map(at.role).find(key);
  return found == map(at.role).end() ? nullptr : &found->second;
}

Pairs Model::Within(Role role, const KeyRange& range) const {
  Pairs pairs;
  for (auto pair = map(role).lower_bound(range.begin);
       pair != map(role).end() && (range.end.empty() || pair->first < range.end); ++pair) {
    pairs.push_back(*pair);
  }
  return pairs;
}

bool Model::Allows(const Batch& batch) const {
  for (std::size_t i = 0; i < batch.condition_count(); ++i) {
    const Batch::Condition condition = batch.condition(i);
    const std::string* found = Find(condition.at, condition.key);
    if ((found != nullptr) != condition.expected.has_value()) return false;
    if (found != nullptr && *found != *condition.expected) return false;
  }
  return true;
}

void Model::Apply(const Batch& batch) {
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    Map& changed = maps_[static_cast<std::size_t>(change.at.role)];
    switch (change.kind) {
      case Batch::Kind::kPut: changed[std::string(change.key)] = change.value; break;
      case Batch::Kind::kDelete: changed.erase(std::string(change.key)); break;
      case Batch::Kind::kDeleteRange:
        changed.erase(changed.lower_bound(change.key), changed.lower_bound(change.value));
        break;
    }
  }
}

void Model::Clear() {
  for (Map& map : maps_) map.clear();
}

}  // namespace mayfly::engine::suite
