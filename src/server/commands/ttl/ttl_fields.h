// ttl_fields.h - writes names and values into the map replies of mayfly's own commands.
#pragma once

#include <cstdint>
#include <string_view>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

inline void Field(ReplyWriter& reply, std::string_view name, std::uint64_t number) {
  reply.Bulk(name);
  reply.Integer(static_cast<std::int64_t>(number));
}
inline void Field(ReplyWriter& reply, std::string_view name, std::int64_t number) {
  reply.Bulk(name);
  reply.Integer(number);
}
inline void Field(ReplyWriter& reply, std::string_view name, Bytes text) {
  reply.Bulk(name);
  reply.Bulk(text);
}
inline void Field(ReplyWriter& reply, std::string_view name, WallTime time) {
  reply.Bulk(name);
  reply.Integer(ToMs(time));
}
inline void Field(ReplyWriter& reply, std::string_view name, bool truth) {
  reply.Bulk(name);
  reply.Boolean(truth);
}

}  // namespace mayfly::server
