// Goal: parsing numbers survives any text, and sums keep the laws of arithmetic. Method: the input
// is two texts around a comma; accepted numbers are written, compared, added and subtracted again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "mayfly/item.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly;
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const std::size_t comma = in.find(',');
  const auto a = Number::Parse(in.substr(0, comma));
  if (!a) return 0;
  const auto again = Number::Parse(a->text());
  MAYFLY_CHECK(again && *again == *a && again->text() == a->text(), "no normal form");
  if (comma == in.npos) return 0;
  const auto b = Number::Parse(in.substr(comma + 1));
  if (!b) return 0;
  const auto order = *a <=> *b;
  MAYFLY_CHECK((order == 0) == (*a == *b), "equal in one way only");
  MAYFLY_CHECK((*b <=> *a) == 0 <=> order, "an order that depends on the side");
  const auto sum = Add(*a, *b);
  if (sum) {
    const auto back = Subtract(*sum, *b);
    MAYFLY_CHECK(back && *back == *a, "a sum that is not exact");
    MAYFLY_CHECK((*sum <=> *a) == (*b <=> Number()), "a sum on the wrong side");
  }
  const auto difference = Subtract(*a, *b);
  if (difference) {
    MAYFLY_CHECK((*difference <=> Number()) == order, "a difference of the wrong sign");
  }
  return 0;
}
