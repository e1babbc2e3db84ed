// Compares the cursors of both.
#include "core/each_engine.h"
#include "core/latched_player.h"

namespace mayfly {

void LatchedPlayer::WalkMembers(const Both& in, const std::string& key) {
  const std::string begin = random_.OneIn(2) ? SomeMember() : "";
  const std::string end = random_.OneIn(2) ? SomeMember() : "";
  const core::Part part = random_.OneIn(3) ? core::Part::kSides : core::Part::kMembers;
  auto real = in.real.NewMemberCursor(key, part, {begin, end});
  auto plain = in.plain.NewMemberCursor(key, part, {begin, end});
  ASSERT_EQ(CodeOf(real), CodeOf(plain)) << key;
  if (!real) return;
  for (std::uint64_t moves = random_.Between(1, 20); moves > 0; --moves) {
    const std::uint64_t move = random_.Below((*plain)->Valid() ? 10 : 4);
    const std::string target = SomeMember();
    for (core::MemberCursor* cursor : {real->get(), plain->get()}) {
      switch (move) {
        case 0: cursor->SeekToFirst(); break;
        case 1: cursor->SeekToLast(); break;
        case 2: cursor->SeekAtOrAfter(target); break;
        case 3: cursor->SeekAtOrBefore(target); break;
        case 4:
        case 5:
        case 6: cursor->Next(); break;
        default: cursor->Prev(); break;
      }
    }
    ASSERT_EQ((*real)->Valid(), (*plain)->Valid())
        << key << " [" << begin << ", " << end << ") " << move << " " << target;
    ASSERT_EQ(CodeOf((*real)->status()), kOk);
    if (!(*plain)->Valid()) continue;
    ASSERT_EQ((*real)->member(), (*plain)->member()) << key << " " << move << " " << target;
    ASSERT_EQ((*real)->value(), (*plain)->value()) << key;
    ASSERT_EQ((*real)->deadline(), (*plain)->deadline()) << key;
  }
}

void LatchedPlayer::WalkRows(const Both& in) {
  const std::string begin = random_.OneIn(3) ? SomeKey() : "";
  const std::string end = random_.OneIn(3) ? SomeKey() : "";
  if (!begin.empty() && !end.empty() && end < begin) return;
  const CursorOptions options{.prefix = random_.OneIn(3) ? "k" : "",
                              .begin = begin,
                              .end = end,
                              .filter = static_cast<RowFilter>(random_.Below(3))};
  auto real = in.real.NewCursor(options);
  auto plain = in.plain.NewCursor(options);
  ASSERT_TRUE(real.has_value() && plain.has_value());
  if (const std::string from = SomeKey(); random_.OneIn(2)) {
    (*real)->SeekAtOrAfter(from);
    (*plain)->SeekAtOrAfter(from);
  } else {
    (*real)->SeekToFirst();
    (*plain)->SeekToFirst();
  }
  for (; (*plain)->Valid(); (*real)->Next(), (*plain)->Next()) {
    ASSERT_TRUE((*real)->Valid()) << (*plain)->key();
    ASSERT_EQ((*real)->key(), (*plain)->key());
    ASSERT_EQ((*real)->is_collection(), (*plain)->is_collection()) << (*real)->key();
    ASSERT_EQ((*real)->value(), (*plain)->value()) << (*real)->key();
    ASSERT_EQ((*real)->deadline(), (*plain)->deadline()) << (*real)->key();
  }
  ASSERT_FALSE((*real)->Valid()) << (*real)->key();
  ASSERT_EQ(CodeOf((*real)->status()), kOk);
}

}  // namespace mayfly
