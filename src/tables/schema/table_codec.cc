#include "tables/schema/table_codec.h"

#include <fmt/format.h>

#include "base/coding.h"

namespace mayfly::tables {
namespace {

constexpr char kTableFormat = 2;

// Consumes from the front, and remembers whether anything was malformed: after that it reads zeros
// and empty lists.
class Reader {
 public:
  explicit Reader(Bytes in) : in_(in) {}

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    if (good_) good_ = EatVarint(in_, value);
    return good_ ? value : 0;
  }
  std::int64_t ZigZag() {
    std::int64_t value = 0;
    if (good_) good_ = EatZigZag(in_, value);
    return good_ ? value : 0;
  }
  std::string Text() {
    Bytes text;
    if (good_) good_ = EatSized(in_, text);
    return good_ ? std::string(text) : std::string();
  }
  Millis Duration() {
    const std::uint64_t ms = Varint();
    Expect(ms <= INT64_MAX);
    return Millis(good_ ? static_cast<std::int64_t>(ms) : 0);
  }
  bool Bool() { return Enum<std::uint64_t>(1) == 1; }

  // One of 0 to `last`.
  template <typename T>
  T Enum(std::uint64_t last) {
    const std::uint64_t value = Varint();
    Expect(value <= last);
    return static_cast<T>(good_ ? value : 0);
  }

  // An element takes at least a byte, so a length cannot exceed the rest.
  std::size_t Length() {
    const std::uint64_t length = Varint();
    Expect(length <= in_.size());
    return good_ ? length : 0;
  }

  void Expect(bool condition) { good_ = good_ && condition; }
  bool good() const { return good_; }
  bool finished() const { return good_ && in_.empty(); }

 private:
  Bytes in_;  // The caller's.
  bool good_ = true;
};

void AppendBool(std::string& out, bool value) { AppendVarint(out, value ? 1 : 0); }

template <typename T>
void AppendEnum(std::string& out, T value) {
  AppendVarint(out, static_cast<std::uint64_t>(value));
}

void AppendKey(std::string& out, const KeyAttribute& key) {
  AppendSized(out, key.name);
  AppendEnum(out, key.type);
}

KeyAttribute ReadKey(Reader& in) {
  KeyAttribute key;
  key.name = in.Text();
  key.type = in.Enum<KeyType>(static_cast<std::uint64_t>(KeyType::kBinary));
  return key;
}

void AppendKeys(std::string& out, const KeyAttribute& partition,
                const std::optional<KeyAttribute>& sort) {
  AppendKey(out, partition);
  AppendBool(out, sort.has_value());
  if (sort) AppendKey(out, *sort);
}

void ReadKeys(Reader& in, KeyAttribute& partition, std::optional<KeyAttribute>& sort) {
  partition = ReadKey(in);
  if (in.Bool()) sort = ReadKey(in);
}

void AppendIndexes(std::string& out, const std::vector<IndexSpec>& specs,
                   const std::vector<StoredIndex>& stored) {
  AppendVarint(out, specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    AppendSized(out, specs[i].name);
    AppendKeys(out, specs[i].partition, specs[i].sort);
    AppendEnum(out, specs[i].projection.kind);
    AppendVarint(out, specs[i].projection.attributes.size());
    for (const std::string& name : specs[i].projection.attributes) AppendSized(out, name);
    AppendEnum(out, stored[i].status);
    AppendVarint(out, stored[i].number);
  }
}

void ReadIndexes(Reader& in, std::vector<IndexSpec>& specs, std::vector<StoredIndex>& stored) {
  for (std::size_t left = in.Length(); left > 0 && in.good(); --left) {
    IndexSpec& spec = specs.emplace_back();
    spec.name = in.Text();
    ReadKeys(in, spec.partition, spec.sort);
    spec.projection.kind =
        in.Enum<IndexProjection::Kind>(static_cast<std::uint64_t>(IndexProjection::Kind::kInclude));
    for (std::size_t names = in.Length(); names > 0 && in.good(); --names) {
      spec.projection.attributes.push_back(in.Text());
    }
    StoredIndex& index = stored.emplace_back();
    index.status = in.Enum<IndexStatus>(static_cast<std::uint64_t>(IndexStatus::kCreating));
    index.number = in.Varint();
  }
}

constexpr auto kLastView = static_cast<std::uint64_t>(StreamView::kNewAndOldImages);

void AppendStreams(std::string& out, const std::vector<StoredStream>& streams) {
  AppendVarint(out, streams.size());
  for (const StoredStream& stream : streams) {
    AppendSized(out, stream.label);
    AppendEnum(out, stream.view);
    AppendBool(out, stream.enabled);
    AppendZigZag(out, ToMs(stream.created_at));
    AppendVarint(out, static_cast<std::uint64_t>(stream.record_ttl.count()));
  }
}

void ReadStreams(Reader& in, std::vector<StoredStream>& streams) {
  for (std::size_t left = in.Length(); left > 0 && in.good(); --left) {
    StoredStream& stream = streams.emplace_back();
    stream.label = in.Text();
    stream.view = in.Enum<StreamView>(kLastView);
    stream.enabled = in.Bool();
    stream.created_at = WallTimeFromMs(in.ZigZag());
    stream.record_ttl = in.Duration();
  }
}

void AppendSchemas(std::string& out, const std::vector<PartitionSchema>& schemas) {
  AppendVarint(out, schemas.size());
  for (const PartitionSchema& schema : schemas) {
    AppendSized(out, schema.prefix);
    AppendBool(out, schema.only_these);
    AppendVarint(out, schema.attributes.size());
    for (const PartitionSchema::Attribute& attribute : schema.attributes) {
      AppendSized(out, attribute.name);
      AppendEnum(out, attribute.type);
      AppendBool(out, attribute.required);
    }
  }
}

void ReadSchemas(Reader& in, std::vector<PartitionSchema>& schemas) {
  for (std::size_t left = in.Length(); left > 0 && in.good(); --left) {
    PartitionSchema& schema = schemas.emplace_back();
    schema.prefix = in.Text();
    schema.only_these = in.Bool();
    for (std::size_t names = in.Length(); names > 0 && in.good(); --names) {
      PartitionSchema::Attribute& attribute = schema.attributes.emplace_back();
      attribute.name = in.Text();
      attribute.type =
          in.Enum<AttributeType>(static_cast<std::uint64_t>(AttributeType::kBinarySet));
      attribute.required = in.Bool();
    }
  }
}

void AppendNotes(std::string& out, const std::map<std::string, std::string>& notes) {
  AppendVarint(out, notes.size());
  for (const auto& [name, note] : notes) {
    AppendSized(out, name);
    AppendSized(out, note);
  }
}

void ReadNotes(Reader& in, std::map<std::string, std::string>& notes) {
  for (std::size_t left = in.Length(); left > 0 && in.good(); --left) {
    std::string name = in.Text();
    in.Expect(notes.empty() || notes.rbegin()->first < name);
    notes.emplace_hint(notes.end(), std::move(name), in.Text());
  }
}

Status CheckFormat(Bytes& bytes, const char* what) {
  if (bytes.empty()) return Status::Corruption(fmt::format("{} is empty", what));
  if (bytes.front() != kTableFormat) {
    return Status::Unsupported(fmt::format("{} has format {}, which {} mayfly wrote", what,
                                           static_cast<unsigned char>(bytes.front()),
                                           bytes.front() < kTableFormat ? "an older" : "a newer"));
  }
  bytes.remove_prefix(1);
  return {};
}

Status Damaged(const char* what) {
  return Status::Corruption(fmt::format("{} is damaged; restore a backup", what));
}

}  // namespace

std::string EncodeTable(const StoredTable& table) {
  std::string out(1, kTableFormat);
  AppendSized(out, table.spec.name);
  AppendSized(out, table.id);
  AppendZigZag(out, ToMs(table.created_at));
  AppendKeys(out, table.spec.partition, table.spec.sort);
  AppendSized(out, table.spec.ttl_attribute);
  AppendEnum(out, table.spec.ttl_mode);
  AppendEnum(out, table.ttl_status);
  AppendVarint(out, table.next_number);
  AppendVarint(out, table.shadows);
  AppendIndexes(out, table.spec.global_indexes, table.global_indexes);
  AppendIndexes(out, table.spec.local_indexes, table.local_indexes);
  AppendStreams(out, table.streams);
  AppendSchemas(out, table.spec.schemas);
  AppendNotes(out, table.spec.notes);
  AppendVarint(out,
               static_cast<std::uint64_t>(table.spec.purge_within.value_or(Millis(0)).count()));
  return out;
}

Result<StoredTable> DecodeTable(Bytes bytes) {
  constexpr const char* kWhat = "the description of a table";
  MAYFLY_RETURN_IF_ERROR(CheckFormat(bytes, kWhat));
  Reader in(bytes);
  StoredTable table;
  table.spec.name = in.Text();
  table.id = in.Text();
  table.created_at = WallTimeFromMs(in.ZigZag());
  ReadKeys(in, table.spec.partition, table.spec.sort);
  table.spec.ttl_attribute = in.Text();
  table.spec.ttl_mode = in.Enum<TtlMode>(static_cast<std::uint64_t>(TtlMode::kUntilSwept));
  table.ttl_status = in.Enum<TtlStatus>(static_cast<std::uint64_t>(TtlStatus::kDisabling));
  table.next_number = in.Varint();
  table.shadows = in.Varint();
  ReadIndexes(in, table.spec.global_indexes, table.global_indexes);
  ReadIndexes(in, table.spec.local_indexes, table.local_indexes);
  ReadStreams(in, table.streams);
  ReadSchemas(in, table.spec.schemas);
  ReadNotes(in, table.spec.notes);
  if (const Millis promise = in.Duration(); promise > Millis(0)) table.spec.purge_within = promise;
  in.Expect((table.shadows != 0) == (table.spec.ttl_mode == TtlMode::kUntilSwept));
  if (!in.finished()) return Damaged(kWhat);
  if (!table.streams.empty() && table.streams.back().enabled) {
    table.spec.stream = table.streams.back().view;
  }
  return table;
}

std::string EncodeJob(const RewriteJob& job) {
  std::string out(1, kTableFormat);
  AppendSized(out, job.table);
  AppendEnum(out, job.kind);
  AppendEnum(out, job.stage);
  AppendVarint(out, job.walked);
  AppendSized(out, job.after);
  return out;
}

Result<RewriteJob> DecodeJob(Bytes bytes) {
  constexpr const char* kWhat = "the record of a table's upkeep";
  MAYFLY_RETURN_IF_ERROR(CheckFormat(bytes, kWhat));
  Reader in(bytes);
  RewriteJob job;
  job.table = in.Text();
  job.kind = in.Enum<RewriteJob::Kind>(static_cast<std::uint64_t>(RewriteJob::Kind::kUnshadowed));
  job.stage =
      in.Enum<RewriteJob::Stage>(static_cast<std::uint64_t>(RewriteJob::Stage::kWalkingFirst));
  job.walked = in.Varint();
  job.after = in.Text();
  if (!in.finished()) return Damaged(kWhat);
  return job;
}

std::string EncodePlace(std::uint64_t sequence) {
  std::string out;
  AppendBigEndian64(out, sequence);
  return out;
}

Result<std::uint64_t> DecodePlace(Bytes bytes) {
  std::uint64_t sequence = 0;
  if (!EatBigEndian64(bytes, sequence) || !bytes.empty()) {
    return Damaged("the place of a table in the event log");
  }
  return sequence;
}

}  // namespace mayfly::tables
