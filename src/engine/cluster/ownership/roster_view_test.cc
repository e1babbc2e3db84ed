// Goal: silence is never more than what has really passed without a renewal, and counts only while
// the store answers; groups are listed while a server that lives lists them.
// Method: pages by hand.
#include "engine/cluster/ownership/roster_view.h"

#include <gtest/gtest.h>

#include "engine/cluster/ownership/testing/instants.h"

namespace mayfly::engine::cluster {
namespace {

ServerRecord Server(ServerId id, std::uint64_t beat, std::vector<GroupId> groups = {},
                    ServerState state = ServerState::kServing, std::uint64_t incarnation = 1) {
  const std::uint64_t revision = groups.size();
  return {.server = id,
          .state = state,
          .incarnation = incarnation,
          .nonce = 0,
          .beat = beat,
          .revision = revision,
          .steady_ns = 0,
          .address = {},
          .groups = std::move(groups)};
}

class RosterViewTest : public ::testing::Test {
 protected:
  // A read whose reply takes 10 ms.
  bool Show(int sent_ms, const std::vector<ServerRecord>& servers) {
    RosterPage page;
    for (const ServerRecord& server : servers) {
      page.push_back(std::make_shared<const ServerRecord>(server));
    }
    return view_.OnPage(0, At(sent_ms), At(sent_ms + 10), page);
  }

  static OwnershipOptions OnePage() {
    OwnershipOptions options;
    options.roster_pages = 1;
    return options;
  }

  const OwnershipOptions options_ = OnePage();
  RosterView view_{options_, 8, 1, At(0)};
};

TEST_F(RosterViewTest, CountsSilenceFromTheReplyThatShowedTheRecordToTheNextSending) {
  Show(0, {Server(2, 1)});
  EXPECT_EQ(view_.SilenceOf(0), Nanos(0));
  Show(700, {Server(2, 1)});
  EXPECT_EQ(view_.SilenceOf(0), Millis(690));
  Show(1400, {Server(2, 1)});
  EXPECT_EQ(view_.SilenceOf(0), Millis(1390));
  Show(2100, {Server(2, 2)});
  EXPECT_EQ(view_.SilenceOf(0), Nanos(0));
}

TEST_F(RosterViewTest, CountsTheLongestTimeBetweenTwoReads) {
  Show(0, {Server(2, 1)});
  Show(1400, {Server(2, 1)});
  Show(2800, {Server(2, 1)});
  EXPECT_EQ(view_.SilenceOf(0), Millis(2790));
}

TEST_F(RosterViewTest, CountsAnewAfterALongerTimeWithoutARead) {
  Show(0, {Server(2, 1)});
  Show(1400, {Server(2, 1)});
  Show(2801, {Server(2, 1)});
  EXPECT_EQ(view_.SilenceOf(0), Nanos(0));
  Show(3501, {Server(2, 1)});
  EXPECT_EQ(view_.SilenceOf(0), Millis(700));
}

TEST_F(RosterViewTest, ForgetsSilence) {
  Show(0, {Server(2, 1)});
  Show(1000, {Server(2, 1)});
  view_.ForgetSilence();
  EXPECT_EQ(view_.SilenceOf(0), Nanos(0));
}

TEST_F(RosterViewTest, TellsWhatMattersToAPlan) {
  EXPECT_TRUE(Show(0, {Server(2, 1, {3})}));
  EXPECT_FALSE(Show(700, {Server(2, 2, {3})}));
  EXPECT_TRUE(Show(1400, {Server(2, 3, {3, 4})}));
  EXPECT_TRUE(Show(2100, {Server(2, 4, {3, 4}, ServerState::kLeaving)}));
  EXPECT_TRUE(Show(2800, {Server(2, 4, {3, 4}, ServerState::kLeaving), Server(5, 1)}));
  EXPECT_FALSE(Show(3500, {Server(2, 5, {3, 4}, ServerState::kLeaving), Server(5, 2)}));
}

TEST_F(RosterViewTest, HasTheGroupsOfAFencedServerFreeAtOnce) {
  Show(0, {Server(2, 1, {3})});
  EXPECT_TRUE(view_.IsListed(3));
  EXPECT_EQ(view_.ListerOf(3), 0);
  Show(5000, {Server(2, 1, {3}, ServerState::kFenced)});
  EXPECT_FALSE(view_.IsListed(3));
  EXPECT_LE(view_.ClaimableAt(3), At(5010));
}

TEST_F(RosterViewTest, KeepsAGroupThatALivingServerNoLongerListsForItsNewOwner) {
  Show(0, {Server(2, 1, {3, 4})});
  Show(5000, {Server(2, 2, {4})});
  EXPECT_FALSE(view_.IsListed(3));
  EXPECT_EQ(view_.ClaimableAt(3), At(5010) + options_.unlisted_grace);
  EXPECT_TRUE(view_.IsListed(4));
}

TEST_F(RosterViewTest, ListsAGroupWhileOneOfTwoListsIt) {
  Show(0, {Server(2, 1, {3}), Server(5, 1, {3})});
  Show(700, {Server(2, 2, {}), Server(5, 2, {3})});
  EXPECT_TRUE(view_.IsListed(3));
  EXPECT_EQ(view_.ListerOf(3), 1);
  Show(1400, {Server(2, 3, {}), Server(5, 3, {})});
  EXPECT_FALSE(view_.IsListed(3));
}

TEST_F(RosterViewTest, NamesNoServerThatListsAGroupNoMore) {
  Show(0, {Server(2, 1, {3}), Server(5, 1, {3})});
  EXPECT_EQ(view_.ListerOf(3), 1);
  Show(700, {Server(2, 2, {3}), Server(5, 2, {})});
  EXPECT_TRUE(view_.IsListed(3));
  EXPECT_EQ(view_.ListerOf(3), RosterView::kNoServer);
}

TEST_F(RosterViewTest, SeesANewIncarnationAsTheEndOfTheFormer) {
  Show(0, {Server(2, 9, {3})});
  EXPECT_FALSE(view_.HasEnded(2, 1, At(0)));
  Show(700, {Server(2, 0, {}, ServerState::kServing, 2)});
  EXPECT_TRUE(view_.HasEnded(2, 1, At(0)));
  EXPECT_FALSE(view_.HasEnded(2, 2, At(0)));
  EXPECT_FALSE(view_.IsListed(3));
  EXPECT_LE(view_.ClaimableAt(3), At(710));
}

TEST_F(RosterViewTest, CallsAnUnknownServerEndedOnlyAfterALaterRead) {
  EXPECT_FALSE(view_.HasEnded(9, 1, At(0)));
  Show(700, {Server(2, 1)});
  EXPECT_FALSE(view_.HasEnded(9, 1, At(705)));
  EXPECT_FALSE(view_.HasEnded(9, 1, At(700)));
  EXPECT_TRUE(view_.HasEnded(9, 1, At(699)));
}

TEST_F(RosterViewTest, TakesARecordThatIsGoneForTheEndOfItsServer) {
  Show(0, {Server(2, 1, {3}), Server(5, 1, {4})});
  Show(700, {Server(5, 2, {4})});
  EXPECT_FALSE(view_.IsListed(3));
  EXPECT_TRUE(view_.IsListed(4));
  EXPECT_TRUE(view_.HasEnded(2, 1, At(0)));
  EXPECT_EQ(view_.RecordOf(2), nullptr);
  Show(1400, {Server(2, 0, {3}, ServerState::kServing, 1), Server(5, 3, {4})});
  EXPECT_TRUE(view_.IsListed(3));
  EXPECT_EQ(view_.servers().size(), 2U);
}

}  // namespace
}  // namespace mayfly::engine::cluster
