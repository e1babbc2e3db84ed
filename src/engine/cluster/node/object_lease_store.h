// object_lease_store.h - keeps the records of servers and owners in a store of objects.
//   roster page p   the map of "NAME.roster.p":   | server u64, big endian | -> ServerRecord
//   owner of s      a key of the map of "NAME.shard.s" (shard_layout.h), beside the rows it guards
// A swap is one conditional write; when it is refused, the record is read, for the reply. Requests
// that the store leaves without an answer have no reply here: ownership sends them again.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/cluster/node/mailbox.h"
#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/ownership/lease_store.h"
#include "mayfly/logger.h"

namespace mayfly::engine::cluster {

// Where replies go, on the thread of the mailbox.
class LeaseReplies {
 public:
  virtual ~LeaseReplies() = default;
  virtual void OnRosterPage(RequestId request, const RosterPage& records) = 0;
  virtual void OnServerSwapped(RequestId request, bool done, const ServerRecordPtr& found) = 0;
  virtual void OnOwnerSwapped(RequestId request, ShardId shard, bool done,
                              const OwnerRecord& found) = 0;

  // An offer that is to be carried to another server.
  virtual void OnOfferTo(ServerId to, ShardId shard, const OwnerRecord& released) = 0;
};

class ObjectLeaseStore final : public LeaseStore {
 public:
  // All but the strings must outlive this; the mailbox is shared with replies that come later.
  ObjectLeaseStore(ObjectStore& store, std::string database, std::uint32_t roster_pages,
                   std::shared_ptr<Mailbox> mailbox, LeaseReplies& replies, Logger& logger);

  void ReadRosterPage(RequestId request, std::uint32_t page) override;
  void SwapServer(RequestId request, ServerRecordPtr expected, ServerRecordPtr wanted) override;
  void SwapOwner(RequestId request, ShardId shard, const OwnerRecord& expected,
                 const OwnerRecord& wanted) override;
  void Offer(ServerId to, ShardId shard, const OwnerRecord& released) override;

 private:
  void ReadOn(RequestId request, std::uint32_t page, const std::string& after,
              const std::shared_ptr<RosterPage>& records);
  void OnPage(RequestId request, std::uint32_t page, const MapPage& part,
              const std::shared_ptr<RosterPage>& records);
  void FindServer(RequestId request, ServerId server);
  void FindOwner(RequestId request, ShardId shard);
  void Complain(const Status& status);

  ObjectStore& store_;
  const std::string database_;
  const std::uint32_t roster_pages_;
  const std::shared_ptr<Mailbox> mailbox_;
  LeaseReplies& replies_;
  Logger& logger_;
};

}  // namespace mayfly::engine::cluster
