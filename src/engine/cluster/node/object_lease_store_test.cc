// Goal: records of servers and owners are swapped only from what was expected, and a refusal shows
// what is there.
#include "engine/cluster/node/object_lease_store.h"

#include <gtest/gtest.h>

#include <optional>

#include "engine/cluster/node/cluster_format.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/testing/memory_objects.h"

namespace mayfly::engine::cluster {
namespace {

struct Replies final : LeaseReplies {
  void OnRosterPage(RequestId, const RosterPage& records) override { page = records; }
  void OnServerSwapped(RequestId, bool done, const ServerRecordPtr& found) override {
    server_done = done;
    server = found;
  }
  void OnOwnerSwapped(RequestId, ShardId, bool done, const OwnerRecord& found) override {
    owner_done = done;
    owner = found;
  }
  void OnOfferTo(ServerId to, ShardId, const OwnerRecord&) override { offered = to; }

  std::optional<RosterPage> page;
  std::optional<bool> server_done;
  ServerRecordPtr server;
  std::optional<bool> owner_done;
  OwnerRecord owner;
  ServerId offered = kNobody;
};

class ObjectLeaseStoreTest : public testing::Test {
 protected:
  // Lets the store and the mailbox do what waits. A refusal takes two rounds.
  void Settle() {
    for (int round = 0; round < 4; ++round) {
      ASSERT_TRUE(AwaitKeys(store_, "none", {"none"}).has_value());
      for (const auto& task : mailbox_->TakeAll()) task();
    }
  }
  static ServerRecordPtr Record(ServerId server, std::uint64_t beat) {
    return std::make_shared<const ServerRecord>(
        ServerRecord{.server = server, .incarnation = 1, .beat = beat, .groups = {1, 2}});
  }

  const std::shared_ptr<MemoryObjects> objects_ = std::make_shared<MemoryObjects>();
  MemoryObjectStore store_{objects_};
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  Replies replies_;
  ObjectLeaseStore leases_{store_, "db", 8, mailbox_, replies_, SilentLogger()};
};

TEST_F(ObjectLeaseStoreTest, ServersAreSwappedAndReadByPage) {
  leases_.SwapServer(1, nullptr, Record(3, 1));
  leases_.SwapServer(2, nullptr, Record(11, 1));
  leases_.SwapServer(3, nullptr, Record(4, 1));
  leases_.SwapServer(4, Record(3, 1), Record(3, 2));
  Settle();
  EXPECT_EQ(replies_.server_done, true);
  leases_.ReadRosterPage(5, 3);
  Settle();
  ASSERT_TRUE(replies_.page.has_value());
  ASSERT_EQ(replies_.page->size(), 2u);
  EXPECT_EQ(*(*replies_.page)[0], *Record(3, 2));
  EXPECT_EQ(*(*replies_.page)[1], *Record(11, 1));
}

TEST_F(ObjectLeaseStoreTest, ARefusedSwapShowsWhatIsThere) {
  leases_.SwapServer(1, Record(3, 1), Record(3, 2));
  Settle();
  EXPECT_EQ(replies_.server_done, false);
  EXPECT_EQ(replies_.server, nullptr);
  leases_.SwapServer(2, nullptr, Record(3, 5));
  leases_.SwapServer(3, nullptr, Record(3, 6));
  Settle();
  EXPECT_EQ(replies_.server_done, false);
  EXPECT_EQ(*replies_.server, *Record(3, 5));
}

TEST_F(ObjectLeaseStoreTest, OwnersAreSwappedBesideTheRows) {
  const OwnerRecord first{.server = 1, .incarnation = 1, .epoch = 1};
  const OwnerRecord second{.server = 2, .incarnation = 1, .epoch = 2};
  leases_.SwapOwner(1, 9, OwnerRecord{}, first);
  Settle();
  EXPECT_EQ(replies_.owner_done, true);
  EXPECT_EQ(objects_->MapOf(ShardObject("db", 9)).size(), 1u);
  leases_.SwapOwner(2, 9, OwnerRecord{}, second);
  Settle();
  EXPECT_EQ(replies_.owner_done, false);
  EXPECT_EQ(replies_.owner, first);
  leases_.SwapOwner(3, 9, first, second);
  Settle();
  EXPECT_EQ(replies_.owner_done, true);
}

TEST_F(ObjectLeaseStoreTest, WithoutAnAnswerThereIsNoReply) {
  store_.SetFate([](Request request, const std::string& object) {
    return request == Request::kReadMap && object == "none" ? Fate::kHappens : Fate::kReplyIsLost;
  });
  leases_.SwapServer(1, nullptr, Record(3, 1));
  leases_.SwapOwner(2, 1, OwnerRecord{}, OwnerRecord{.server = 1, .incarnation = 1, .epoch = 1});
  leases_.ReadRosterPage(3, 1);
  Settle();
  EXPECT_FALSE(replies_.server_done.has_value());
  EXPECT_FALSE(replies_.owner_done.has_value());
  EXPECT_FALSE(replies_.page.has_value());
}

TEST_F(ObjectLeaseStoreTest, ADamagedRecordGivesNoReply) {
  ASSERT_TRUE(objects_->Write(RosterObject("db", 1), {.sets = {{"k", "damaged"}}}).ok());
  leases_.ReadRosterPage(1, 1);
  Settle();
  EXPECT_FALSE(replies_.page.has_value());
}

TEST_F(ObjectLeaseStoreTest, APageOfMoreServersThanOneReadShowsIsWhole) {
  for (ServerId server = 8; server < ServerId{8} * 1100; server += 8) {
    leases_.SwapServer(server, nullptr, Record(server, 1));
  }
  leases_.ReadRosterPage(1, 0);
  Settle();
  ASSERT_TRUE(replies_.page.has_value());
  EXPECT_EQ(replies_.page->size(), 1099u);
}

TEST_F(ObjectLeaseStoreTest, OffersGoOutThroughTheMailbox) {
  leases_.Offer(7, 1, OwnerRecord{});
  Settle();
  EXPECT_EQ(replies_.offered, 7u);
}

}  // namespace
}  // namespace mayfly::engine::cluster
