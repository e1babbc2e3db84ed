// random_posts.h - random items of the table "posts", from a small set of keys, so that they
// repeat.
#pragma once

#include <string>

#include "base/random.h"
#include "base/testing/environment.h"
#include "tables/tables_home.h"

namespace mayfly {

// MAYFLY_SEED, or a fresh one. The caller prints it.
inline std::uint64_t PlaySeed() { return NumberFromEnvironment("MAYFLY_SEED", FreshSeed()); }

class RandomPosts {
 public:
  explicit RandomPosts(std::uint64_t seed) : random_(seed) {}

  Random& random() { return random_; }

  Item Key() { return {{"user", "u" + std::to_string(random_.Below(4))}, {"nr", Small(8)}}; }

  // A number around zero, some of them not integers.
  Number Small(std::uint64_t range) {
    const auto whole =
        static_cast<std::int64_t>(random_.Below(range)) - static_cast<std::int64_t>(range / 4);
    return whole;
  }

  AttributeValue Topic() { return "t" + std::to_string(random_.Below(3)); }
  AttributeValue Score() {
    if (random_.OneIn(4)) return Decimal("0." + std::to_string(1 + random_.Below(9)));
    return Small(6);
  }

  // Keys and, at random, other attributes. `now` is for ttl attributes.
  Item Post(WallTime now) {
    Item item = Key();
    if (!random_.OneIn(3)) item["topic"] = Topic();
    if (!random_.OneIn(3)) item["score"] = Score();
    if (random_.OneIn(2)) item["title"] = "title" + std::to_string(random_.Below(5));
    if (random_.OneIn(2)) item["body"] = "body" + std::to_string(random_.Below(5));
    if (random_.OneIn(3)) item["n"] = Small(10);
    if (random_.OneIn(2)) item["expires"] = Expires(now);
    return item;
  }

  // Mostly soon; sometimes never, or in the past.
  AttributeValue Expires(WallTime now) {
    switch (random_.Below(8)) {
      case 0: return N(0);
      case 1: return "never";
      case 2: return N(ToMs(now) / 1000 - static_cast<std::int64_t>(random_.Below(3)));
      default: {
        const std::int64_t ms = ToMs(now) + static_cast<std::int64_t>(random_.Below(20'000));
        return Decimal(std::to_string(ms / 1000) + "." +
                       std::to_string(1000 + ms % 1000).substr(1));
      }
    }
  }

 private:
  Random random_;
};

}  // namespace mayfly
