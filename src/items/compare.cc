#include "items/compare.h"

namespace mayfly::items {

std::partial_ordering Compare(const AttributeValue& a, const AttributeValue& b) {
  if (a.type() != b.type()) return std::partial_ordering::unordered;
  switch (a.type()) {
    case AttributeType::kString: return *a.string() <=> *b.string();
    case AttributeType::kNumber: return *a.number() <=> *b.number();
    case AttributeType::kBinary: return *a.binary() <=> *b.binary();
    default: return std::partial_ordering::unordered;
  }
}

}  // namespace mayfly::items
