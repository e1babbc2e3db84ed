#include "engine/cluster/node/object_lease_store.h"

#include <utility>

#include "base/coding.h"
#include "base/log.h"
#include "engine/cluster/node/cluster_format.h"
#include "engine/cluster/objects/limits.h"
#include "engine/cluster/shard/shard_layout.h"

namespace mayfly::engine::cluster {
namespace {

std::string ServerKey(ServerId server) {
  std::string key;
  AppendBigEndian64(key, server);
  return key;
}

// Absent is OwnerRecord{}.
std::string BytesOf(const OwnerRecord& record) {
  return record == OwnerRecord{} ? std::string() : Encode(record);
}

std::shared_ptr<const MapWrite> Swap(std::string key, std::string expected, std::string wanted) {
  auto write = std::make_shared<MapWrite>();
  write->conditions.push_back({key, std::move(expected)});
  write->sets.emplace_back(std::move(key), std::move(wanted));
  return write;
}

}  // namespace

ObjectLeaseStore::ObjectLeaseStore(ObjectStore& store, std::string database,
                                   std::uint32_t roster_pages, std::shared_ptr<Mailbox> mailbox,
                                   LeaseReplies& replies, Logger& logger)
    : store_(store),
      database_(std::move(database)),
      roster_pages_(roster_pages),
      mailbox_(std::move(mailbox)),
      replies_(replies),
      logger_(logger) {}

// What a store's thread does is to post; all else happens on the node's thread, which this
// outlives.
void ObjectLeaseStore::ReadRosterPage(RequestId request, std::uint32_t page) {
  ReadOn(request, page, {}, std::make_shared<RosterPage>());
}

void ObjectLeaseStore::ReadOn(RequestId request, std::uint32_t page, const std::string& after,
                              const std::shared_ptr<RosterPage>& records) {
  store_.ReadMapPage(
      RosterObject(database_, page), after, kMapPageMax,
      [this, mailbox = mailbox_, request, page, records](Result<MapPage> part) {
        if (!part) return;
        mailbox->Post([this, request, page, records, part = std::move(part).value()] {
          OnPage(request, page, part, records);
        });
      });
}

void ObjectLeaseStore::OnPage(RequestId request, std::uint32_t page, const MapPage& part,
                              const std::shared_ptr<RosterPage>& records) {
  for (const auto& [key, value] : part.entries) {
    auto record = DecodeServerRecord(value);
    if (!record) return Complain(record.error());
    records->push_back(std::make_shared<const ServerRecord>(std::move(record).value()));
  }
  if (!part.more || part.entries.empty()) return replies_.OnRosterPage(request, *records);
  ReadOn(request, page, part.entries.back().first, records);
}

void ObjectLeaseStore::SwapServer(RequestId request, ServerRecordPtr expected,
                                  ServerRecordPtr wanted) {
  const auto page = static_cast<std::uint32_t>(wanted->server % roster_pages_);
  store_.WriteMap(
      RosterObject(database_, page),
      Swap(ServerKey(wanted->server), expected != nullptr ? Encode(*expected) : std::string(),
           Encode(*wanted)),
      [this, mailbox = mailbox_, request, expected, server = wanted->server](const Status& status) {
        if (!status.ok() && status.code() != StatusCode::kConflict) return;
        mailbox->Post([this, request, expected, server, done = status.ok()] {
          done ? replies_.OnServerSwapped(request, true, expected) : FindServer(request, server);
        });
      });
}

void ObjectLeaseStore::FindServer(RequestId request, ServerId server) {
  const auto page = static_cast<std::uint32_t>(server % roster_pages_);
  store_.ReadMapKeys(
      RosterObject(database_, page), {ServerKey(server)},
      [this, mailbox = mailbox_, request](const Result<std::vector<std::string>>& values) {
        if (!values) return;
        mailbox->Post([this, request, bytes = (*values)[0]] {
          if (bytes.empty()) return replies_.OnServerSwapped(request, false, nullptr);
          auto record = DecodeServerRecord(bytes);
          if (!record) return Complain(record.error());
          replies_.OnServerSwapped(request, false,
                                   std::make_shared<const ServerRecord>(std::move(record).value()));
        });
      });
}

void ObjectLeaseStore::SwapOwner(RequestId request, ShardId shard, const OwnerRecord& expected,
                                 const OwnerRecord& wanted) {
  store_.WriteMap(ShardObject(database_, shard),
                  Swap(OwnerKey(), BytesOf(expected), Encode(wanted)),
                  [this, mailbox = mailbox_, request, shard, expected](const Status& status) {
                    if (!status.ok() && status.code() != StatusCode::kConflict) return;
                    mailbox->Post([this, request, shard, expected, done = status.ok()] {
                      done ? replies_.OnOwnerSwapped(request, shard, true, expected)
                           : FindOwner(request, shard);
                    });
                  });
}

void ObjectLeaseStore::FindOwner(RequestId request, ShardId shard) {
  store_.ReadMapKeys(
      ShardObject(database_, shard), {OwnerKey()},
      [this, mailbox = mailbox_, request, shard](const Result<std::vector<std::string>>& values) {
        if (!values) return;
        mailbox->Post([this, request, shard, bytes = (*values)[0]] {
          if (bytes.empty()) return replies_.OnOwnerSwapped(request, shard, false, OwnerRecord{});
          const auto record = DecodeOwnerRecord(bytes);
          if (!record) return Complain(record.error());
          replies_.OnOwnerSwapped(request, shard, false, *record);
        });
      });
}

void ObjectLeaseStore::Offer(ServerId to, ShardId shard, const OwnerRecord& released) {
  mailbox_->Post([this, to, shard, released] { replies_.OnOfferTo(to, shard, released); });
}

void ObjectLeaseStore::Complain(const Status& status) {
  Log(logger_, LogLevel::kError, "cluster: a record in {} cannot be read: {}", database_,
      status.message());
}

}  // namespace mayfly::engine::cluster
