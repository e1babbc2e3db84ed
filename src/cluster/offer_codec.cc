#include "cluster/offer_codec.h"

#include "base/coding.h"

namespace mayfly::cluster {

std::string Encode(const engine::cluster::ShardOffer& offer) {
  std::string bytes;
  AppendBigEndian16(bytes, offer.shard);
  return bytes += engine::cluster::Encode(offer.released);
}

Result<engine::cluster::ShardOffer> DecodeOffer(Bytes bytes) {
  engine::cluster::ShardOffer offer;
  if (!EatBigEndian16(bytes, offer.shard)) return Status::Corruption("an offer of a shard is cut");
  MAYFLY_TRY(offer.released, engine::cluster::DecodeOwnerRecord(bytes));
  return offer;
}

}  // namespace mayfly::cluster
