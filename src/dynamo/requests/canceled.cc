#include "dynamo/requests/canceled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dynamo/json/attribute_json.h"

namespace mayfly::dynamo {
namespace {

using Reason = TransactOutcome::Reason;

std::string_view ReasonCode(Reason reason, bool insert) {
  switch (reason) {
    case Reason::kNone: return "None";
    case Reason::kConditionFailed: return insert ? "DuplicateItem" : "ConditionalCheckFailed";
    case Reason::kInvalid: return "ValidationError";
  }
  return "None";
}

}  // namespace

Refusal Canceled(const std::vector<TransactOutcome::Verdict>& verdicts,
                 const std::vector<bool>& inserts) {
  std::vector<std::string_view> codes;
  json::array reasons;
  for (const auto& verdict : verdicts) {
    const bool insert = codes.size() < inserts.size() && inserts[codes.size()];
    const std::string_view code = ReasonCode(verdict.reason, insert);
    codes.push_back(code);
    json::object reason;
    reason["Code"] = ToJson(code);
    if (verdict.reason == Reason::kConditionFailed && insert) {
      reason["Message"] = kDuplicateItemMessage;
    } else if (verdict.reason == Reason::kConditionFailed && verdict.message.empty()) {
      reason["Message"] = "The conditional request failed";
    } else if (!verdict.message.empty()) {
      reason["Message"] = ToJson(verdict.message);
    }
    if (verdict.item) reason["Item"] = WriteItem(*verdict.item);
    reasons.emplace_back(std::move(reason));
  }
  json::object extra;
  extra["CancellationReasons"] = std::move(reasons);
  return Refusal(
      ErrorKind::kTransactionCanceled,
      fmt::format("Transaction cancelled, please refer cancellation reasons for specific "
                  "reasons [{}]",
                  fmt::join(codes, ", ")),
      std::move(extra));
}

}  // namespace mayfly::dynamo
