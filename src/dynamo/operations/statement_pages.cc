// statement_pages.cc - the pages of a SELECT.
//   NextToken := Base64 of {"of": hash of the statement and its parameters, "at": query, "after": key}
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "dynamo/json/attribute_json.h"
#include "dynamo/json/base64.h"
#include "dynamo/json/item_text.h"
#include "dynamo/json/limits.h"
#include "dynamo/operations/statements.h"
#include "dynamo/requests/items_text.h"
#include "items/item_codec.h"

namespace mayfly::dynamo {
namespace {

// Where a page begins: with one of the statement's queries, behind a key.
struct PageBegin {
  std::size_t query = 0;
  std::optional<Item> after = std::nullopt;
};

std::string HashOf(const AskedStatement& asked, const Fields& in) {
  std::string text = asked.text;
  for (const json::value& parameter : in.ListOrNone("Parameters")) text += '\0' + ToText(parameter);
  return fmt::format("{:016x}", Hash64(text));
}

std::string WriteToken(const std::string& hash, const PageBegin& place) {
  json::object token;
  token["of"] = ToJson(hash);
  token["at"] = place.query;
  if (place.after) token["after"] = WriteItem(*place.after);
  return ToBase64(ToText(token));
}

// A token is what a client says: anything may be in it.
Outcome<PageBegin> ReadToken(const std::string& text, const std::string& hash,
                             std::size_t queries) {
  const Refusal wrong = Invalid("NextToken does not match request");
  const Result<std::string> plain = FromBase64(text);
  if (!plain) return wrong;
  const Result<json::value> parsed = ParseJson(*plain);
  if (!parsed || !parsed->is_object()) return wrong;
  const Fields token(parsed->get_object());
  const auto query = token.Integer("at");
  if (token.Text("of") != hash || !query || *query < 0) return wrong;
  PageBegin place = {.query = static_cast<std::size_t>(*query)};
  if (place.query >= std::max<std::size_t>(queries, 1)) return wrong;
  if (const json::object* const after = token.Map("after")) {
    Outcome<Item> key = ReadItem(*after);
    if (!key) return wrong;
    place.after = *std::move(key);
  }
  return place;
}

// Takes of the items what the statement selects.
class SelectedText final : public tables::PageSink {
 public:
  explicit SelectedText(const std::vector<partiql::Path>& projection) : projection_(projection) {}

  Status TakeStored(Bytes stored) override {
    if (projection_.empty()) return text_.TakeStored(stored);
    MAYFLY_TRY(items::StoredItem decoded, items::DecodeItem(stored));
    Take(std::move(decoded.item));
    return {};
  }
  void Take(Item item) override { text_.Take(partiql::Selected(projection_, std::move(item))); }

  std::string End() && { return std::move(text_).End(); }

 private:
  const std::vector<partiql::Path>& projection_;
  ItemsText text_;
};

// Reads one page, which may be of several partitions.
class PageReader {
 public:
  PageReader(const Context& context, partiql::SelectPlan& plan, bool consistent,
             std::optional<std::uint64_t> limit)
      : context_(context), plan_(plan), consistent_(consistent), limit_(limit) {}

  // The place behind the page; nothing: it is the last one.
  Outcome<std::optional<PageBegin>> Read(PageBegin from, SelectedText& items) {
    if (plan_.scan) return ReadOne(*plan_.scan, from, items);
    for (; from.query < plan_.queries.size(); from = {.query = from.query + 1}) {
      if (IsFull()) return std::optional(from);
      MAYFLY_TRY(auto behind, ReadOne(plan_.queries[from.query], from, items));
      if (behind) return behind;
    }
    return std::optional<PageBegin>();
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  bool IsFull() const { return (limit_ && scanned_ >= *limit_) || bytes_ >= kSelectBytesMax; }

  template <typename Request>
  Outcome<std::optional<PageBegin>> ReadOne(Request& request, const PageBegin& from,
                                            SelectedText& items) {
    request.consistent = consistent_;
    request.start_after = from.after;
    if (limit_) request.limit = *limit_ - scanned_;
    MAYFLY_TRY(ItemPage page, OfStatement(Read(request, items)));
    bytes_ += page.bytes;
    scanned_ += page.scanned;
    if (!page.last_key) return std::optional<PageBegin>();
    return std::optional(PageBegin{.query = from.query, .after = std::move(page.last_key)});
  }

  Result<ItemPage> Read(const QueryRequest& request, SelectedText& items) {
    return context_.tables.QueryInto(request, items);
  }
  Result<ItemPage> Read(const ScanRequest& request, SelectedText& items) {
    return context_.tables.ScanInto(request, items);
  }

  const Context& context_;
  partiql::SelectPlan& plan_;
  const bool consistent_;
  const std::optional<std::uint64_t> limit_;
  std::uint64_t scanned_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

Outcome<Reply> RunSelect(const Context& context, const Fields& in, const AskedStatement& asked,
                         PlannedStatement planned, Capacity& capacity) {
  auto& plan = std::get<partiql::SelectPlan>(planned.plan);
  const std::string hash = HashOf(asked, in);
  PageBegin from;
  if (const auto token = in.String("NextToken")) {
    MAYFLY_TRY(from, ReadToken(*token, hash, plan.queries.size()));
  }
  std::optional<std::uint64_t> limit;
  if (const auto given = in.Integer("Limit")) limit = static_cast<std::uint64_t>(*given);
  const std::string table = plan.scan ? plan.scan->table : plan.queries.front().table;
  const std::string index = plan.scan ? plan.scan->index : plan.queries.front().index;
  SelectedText items(plan.projection);
  PageReader reader(context, plan, asked.consistent, limit);
  MAYFLY_TRY(const std::optional<PageBegin> behind, reader.Read(std::move(from), items));
  Reply reply;
  reply.only_read = true;
  reply.texts.emplace_back("Items", std::move(items).End());
  if (behind) {
    reply.members["NextToken"] = ToJson(WriteToken(hash, *behind));
    if (behind->after) reply.texts.emplace_back("LastEvaluatedKey", ItemText(*behind->after));
  }
  capacity.Add(table, 0);
  capacity.Add(table, ReadUnits(reader.bytes(), asked.consistent), index, planned.schema.is_local);
  capacity.WriteOne(reply.members);
  return reply;
}

}  // namespace mayfly::dynamo
