#include "wire/reply.h"

#include <cmath>

namespace mayfly {
namespace {

using Kind = Reply::Kind;

void WriteAll(const Reply::Items& items, ReplyWriter& writer) {
  for (const Reply& item : items) WriteReply(item, writer);
}

void WriteItems(Aggregate aggregate, const Reply::Items& items, ReplyWriter& writer) {
  const bool pairs = aggregate == Aggregate::kMap || aggregate == Aggregate::kAttribute;
  writer.Begin(aggregate, pairs ? items.size() / 2 : items.size());
  WriteAll(items, writer);
}

}  // namespace

bool operator==(const Reply& a, const Reply& b) {
  if (a.kind != b.kind || a.attributes != b.attributes) return false;
  if (a.kind == Kind::kDouble && std::isnan(a.number()) && std::isnan(b.number())) return true;
  return a.value == b.value;
}

void WriteReply(const Reply& reply, ReplyWriter& writer) {
  if (!reply.attributes.empty() && writer.version() == ProtocolVersion::kResp3) {
    WriteItems(Aggregate::kAttribute, reply.attributes, writer);
  }
  switch (reply.kind) {
    case Kind::kNull: return writer.Null();
    case Kind::kNullArray: return writer.NullArray();
    case Kind::kSimpleString: return writer.SimpleString(reply.text());
    case Kind::kError: return writer.Error(reply.text());
    case Kind::kBulk: return writer.Bulk(reply.text());
    case Kind::kBulkError: return writer.BulkError(reply.text());
    case Kind::kVerbatim: {
      const Bytes text = reply.text();
      return writer.Verbatim(text.substr(0, 3), text.substr(4));
    }
    case Kind::kBigNumber: return writer.BigNumber(reply.text());
    case Kind::kInteger: return writer.Integer(reply.integer());
    case Kind::kDouble: return writer.Double(reply.number());
    case Kind::kBoolean: return writer.Boolean(reply.boolean());
    case Kind::kArray: return WriteItems(Aggregate::kArray, reply.items(), writer);
    case Kind::kSet: return WriteItems(Aggregate::kSet, reply.items(), writer);
    case Kind::kPush: return WriteItems(Aggregate::kPush, reply.items(), writer);
    case Kind::kMap: return WriteItems(Aggregate::kMap, reply.items(), writer);
  }
}

}  // namespace mayfly
