#include "types/order_node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/coding.h"
#include "base/leading_bytes.h"

namespace mayfly::types {
namespace {

constexpr std::uint64_t kLevelsMax = 16;
constexpr std::size_t kSizeBytes = sizeof(std::uint16_t);
constexpr std::size_t kEndBytes = sizeof(std::uint32_t);

// Little endian, as the machine.
template <typename Number>
Number NumberAt(Bytes bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

// The numbers of a child within a group.
class ChildBytes {
 public:
  explicit ChildBytes(const OrderNode& node) {
    const bool differ = node.count != node.rows;
    end_ = WriteVarint(bytes_.data(), node.count << 1 | (differ ? 1 : 0));
    if (differ) end_ = WriteVarint(end_, node.rows);
    end_ = WriteVarint(end_, node.removed);
  }
  Bytes bytes() const { return {bytes_.data(), static_cast<std::size_t>(end_ - bytes_.data())}; }

 private:
  std::array<char, 3 * kVarintBytesMax> bytes_;
  char* end_;
};

bool EatChild(Bytes& stored, OrderNode& node) {
  std::uint64_t count = 0;
  if (!EatVarint(stored, count)) return false;
  node.count = count >> 1;
  node.rows = node.count;
  if ((count & 1) != 0 && !EatVarint(stored, node.rows)) return false;
  return EatVarint(stored, node.removed);
}

// A stored group without so many children; empty when it ends before.
Bytes From(Bytes stored, std::size_t children) {
  const char* at = stored.data();
  const char* const end = at + stored.size();
  for (; children > 0 && at != end; --children) {
    if (static_cast<std::size_t>(end - at) >= sizeof(std::uint64_t)) [[likely]] {
      // The last byte of a varint is below 128. A child mostly ends within these eight.
      const auto bytes = NumberAt<std::uint64_t>({at, sizeof(std::uint64_t)}, 0);
      std::uint64_t ends = ~bytes & 0x8080'8080'8080'8080;
      ends &= ends - 1;
      if ((bytes & 1) != 0) ends &= ends - 1;
      if (ends != 0) {
        at += std::countr_zero(ends) / 8 + 1;
        continue;
      }
    }
    for (int numbers = (*at & 1) != 0 ? 3 : 2; numbers > 0 && at != end;) {
      numbers -= (*at++ & 0x80) == 0 ? 1 : 0;
    }
  }
  return {at, static_cast<std::size_t>(end - at)};
}

}  // namespace

void AppendRoot(std::string& out, const OrderRoot& root) {
  const OrderNode& node = root.node;
  const bool plain = root.levels == 0 && node.rows == node.count;
  if (plain && node.space == 0 && node.removed == 0 && root.next_space == 1) return;
  AppendVarint(out, root.levels);
  AppendVarint(out, node.space);
  AppendVarint(out, node.removed);
  AppendVarint(out, root.next_space);
  AppendVarint(out, node.rows);
}

bool EatRoot(Bytes& in, std::uint64_t count, OrderRoot& root) {
  root = {};
  root.node.count = count;
  root.node.rows = count;
  if (in.empty()) return true;
  return EatVarint(in, root.levels) && root.levels <= kLevelsMax &&
         EatVarint(in, root.node.space) && EatVarint(in, root.node.removed) &&
         EatVarint(in, root.next_space) && EatVarint(in, root.node.rows);
}

std::string OrderRowKey(std::uint64_t space, Bytes item) {
  std::string key;
  key.reserve(item.size() + 2);
  AppendVarint(key, space);
  key.append(item);
  return key;
}

std::string OrderSpaceEnd(std::uint64_t space) {
  std::string end;
  AppendVarint(end, space);
  ++end.back();  // The last byte of a varint is below 128.
  return end;
}

Bytes ItemOfOrderRow(Bytes row) {
  std::uint64_t space = 0;
  return EatVarint(row, space) ? row : Bytes();
}

Result<std::uint64_t> WeightOf(Bytes value) {
  std::uint64_t weight = 1;
  if (!value.empty() && !EatVarint(value, weight)) return UncountedOrder();
  return weight;
}

std::string OrderIndex::Encode(std::span<const OrderChild> children) {
  std::string ends;
  std::string all;
  for (const OrderChild& child : children) {
    AppendVarint(all, child.node.space);
    all.append(child.low);
    AppendLittleEndian32(ends, static_cast<std::uint32_t>(all.size()));
  }
  std::string index;
  index.push_back(static_cast<char>(children.size() & 0xff));
  index.push_back(static_cast<char>(children.size() >> 8));
  return index.append(ends).append(all);
}

Result<OrderIndex> OrderIndex::Of(Bytes stored) {
  if (stored.size() < kSizeBytes) return UncountedOrder();
  const std::size_t size = NumberAt<std::uint16_t>(stored, 0);
  stored.remove_prefix(kSizeBytes);
  if (stored.size() < size * kEndBytes) return UncountedOrder();
  return OrderIndex(size, stored.substr(0, size * kEndBytes), stored.substr(size * kEndBytes));
}

// Damaged bytes give some part of them, which leads to rows that do not fit.

inline Bytes OrderIndex::Child(std::size_t child) const {
  const std::size_t begin =
      child == 0 ? 0 : NumberAt<std::uint32_t>(ends_, (child - 1) * kEndBytes);
  const std::size_t end = NumberAt<std::uint32_t>(ends_, child * kEndBytes);
  return begin <= end && end <= children_.size() ? children_.substr(begin, end - begin) : Bytes();
}

Bytes OrderIndex::low(std::size_t child) const { return ItemOfOrderRow(Child(child)); }

std::uint64_t OrderIndex::space(std::size_t child) const {
  Bytes bytes = Child(child);
  std::uint64_t space = 0;
  return EatVarint(bytes, space) ? space : 0;
}

// Most beginnings differ from the item in the first eight bytes: these are compared as numbers.
std::size_t OrderIndex::CountUpTo(Bytes item) const {
  const std::uint64_t head = LeadingBytes(item);
  std::size_t begin = 0;
  std::size_t end = size_;
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    Bytes begins = Child(middle);
    std::uint64_t space = 0;
    if (!EatVarint(begins, space)) begins = {};
    const std::uint64_t begins_with = LeadingBytes(begins);
    const bool is_up_to = begins_with != head ? begins_with < head : begins <= item;
    is_up_to ? begin = middle + 1 : end = middle;
  }
  return begin;
}

// For leaves whose items weigh 1, count and rows are one number.
std::string OrderGroupBytes(std::span<const OrderNode> group) {
  std::string bytes;
  for (const OrderNode& node : group) {
    const ChildBytes child(node);
    bytes.append(child.bytes());
  }
  return bytes;
}

Result<std::vector<OrderNode>> OrderGroupOf(Bytes stored) {
  std::vector<OrderNode> group;
  group.reserve(kGroupChildren);
  while (!stored.empty()) {
    OrderNode node;
    if (!EatChild(stored, node)) return UncountedOrder();
    group.push_back(node);
  }
  return group;
}

Result<GroupChild> ChildInGroup(Bytes stored, std::size_t child) {
  OrderNode node;
  Bytes rest = From(stored, child);
  const std::size_t begin = stored.size() - rest.size();
  if (!EatChild(rest, node)) return UncountedOrder();
  return GroupChild{node, begin};
}

Status ReplaceInGroup(std::string& stored, std::size_t begin, const OrderNode& node) {
  const Bytes old = Bytes(stored).substr(std::min(begin, stored.size()));
  const std::size_t bytes = old.size() - From(old, 1).size();
  if (bytes == 0) return UncountedOrder();
  stored.replace(begin, bytes, ChildBytes(node).bytes());
  return {};
}

Status UncountedOrder() {
  return Status::Corruption("the order of a collection does not fit its members; run a check");
}

}  // namespace mayfly::types
