#include "server/pubsub/message.h"

namespace mayfly::server {

void WriteMessage(const PubSubMessage& message, ReplyWriter& writer) {
  if (message.left) {
    writer.Push(3);
    writer.Bulk("sunsubscribe");
    writer.Bulk(message.channel);
    writer.Integer(static_cast<std::int64_t>(*message.left));
    return;
  }
  const bool by_pattern = message.kind == ChannelKind::kPattern;
  writer.Push(by_pattern ? 4 : 3);
  if (by_pattern) {
    writer.Bulk("pmessage");
    writer.Bulk(message.pattern);
  } else {
    writer.Bulk(message.kind == ChannelKind::kShard ? "smessage" : "message");
  }
  writer.Bulk(message.channel);
  writer.Bulk(message.payload);
}

}  // namespace mayfly::server
