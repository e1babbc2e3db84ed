// table_notes.h - attributes of tables that DynamoDB's clients set and read back, kept in
// TableSpec::notes: tags, billing, throughput. Nothing is limited by any of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dynamo/json/refusal.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

using Notes = std::map<std::string, std::string>;

// The tag that chooses a table's TtlMode: "exact" or "until-swept".
inline constexpr const char* kTtlModeTag = "mayfly:ttl-mode";

// The tag of a table's promise (TableSpec::purge_within), in milliseconds.
inline constexpr const char* kPurgeWithinTag = "mayfly:purge-within";

struct Throughput {
  std::int64_t read = 0;
  std::int64_t write = 0;

  friend bool operator==(const Throughput&, const Throughput&) = default;
};

std::map<std::string, std::string> TagsOf(const Notes& notes);
void SetTag(Notes& notes, const std::string& key, const std::string& value);
void RemoveTag(Notes& notes, const std::string& key);

// By the tag. Refused: an unknown mode.
Outcome<TtlMode> TtlModeOf(const Notes& notes);

// Nothing without the tag. Refused: a value that is no number of milliseconds.
Outcome<std::optional<Millis>> PurgeWithinOf(const Notes& notes);

bool IsPayPerRequest(const Notes& notes);
void SetBilling(Notes& notes, bool pay_per_request);

// `index` empty: the table's own.
Throughput ThroughputOf(const Notes& notes, const std::string& index = {});
void SetThroughput(Notes& notes, const std::string& index, const Throughput& throughput);

// The table's and its indexes'.
void RemoveThroughputs(Notes& notes);

bool IsProtected(const Notes& notes);
void SetProtected(Notes& notes, bool is_protected);

// Empty: not set.
std::string ClassOf(const Notes& notes);
void SetClass(Notes& notes, const std::string& name);

}  // namespace mayfly::dynamo
