// debug_digest.cc - DEBUG DIGEST and DEBUG DIGEST-VALUE.
#include <memory>
#include <string>

#include "core/transactions/frozen_state.h"
#include "core/transactions/latched_transaction.h"
#include "server/admin/admin_handlers.h"
#include "server/admin/debug_data.h"
#include "server/admin/value_digest.h"

namespace mayfly::server::admin {
namespace {

constexpr std::uint64_t kKeysUntilForgotten = 64;

Status XorKeys(const core::FrozenState& state, const Keyspace& keyspace, int number,
               Digest& digest) {
  const auto rows = state.NewReader();
  const auto values = state.NewReader();
  MAYFLY_TRY(const auto cursor, rows->In(keyspace).NewCursor());
  std::uint64_t read = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    if (read == 0) digest.Mix(static_cast<std::uint32_t>(number));
    Digest one;
    one.Mix(cursor->key());
    MAYFLY_RETURN_IF_ERROR(MixValue(values->In(keyspace), cursor->key(), one));
    digest.Xor(one);
    if (++read % kKeysUntilForgotten == 0) values->Forget();
  }
  return cursor->status();
}

Status NotWithin(std::string_view name) {
  return Status::Invalid(std::string(name) + " is not offered within a transaction");
}

}  // namespace

Answer DebugDigest(Call& call) {
  if (call.frozen_now) return NotWithin("DEBUG DIGEST");
  Server& server = ServerOf(call);
  std::unique_ptr<core::FrozenState> state;
  std::shared_ptr<const Databases::Mapping> databases;
  {
    core::KeySet everything;
    everything.everything = true;
    MAYFLY_TRY(const auto transaction, server.transactions().Begin(everything));
    MAYFLY_TRY(state, core::FreezeState(server.database()));
    databases = server.databases().mapping();
  }
  Digest digest;
  int number = 0;
  for (const auto& keyspace : *databases) {
    if (keyspace != nullptr) MAYFLY_RETURN_IF_ERROR(XorKeys(*state, *keyspace, number, digest));
    ++number;
  }
  call.reply.SimpleString(digest.Hex());
  return {};
}

Answer DebugDigestValue(Call& call) {
  if (call.frozen_now) return NotWithin("DEBUG DIGEST-VALUE");
  const auto keys = call.args.subspan(2);
  std::vector<Digest> digests(keys.size());
  if (const Keyspace* const keyspace = call.host.keyspace(call.database); keyspace != nullptr) {
    core::KeySet read;
    for (const Bytes key : keys) read.keys.push_back({keyspace, key, /*writes=*/false});
    MAYFLY_TRY(const auto transaction, ServerOf(call).transactions().Begin(read));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      MAYFLY_RETURN_IF_ERROR(MixValue(transaction->In(*keyspace), keys[i], digests[i]));
    }
  }
  call.reply.Array(digests.size());
  for (const Digest& one : digests) call.reply.SimpleString(one.Hex());
  return {};
}

}  // namespace mayfly::server::admin
