// Goal: stored records of tables are read back unchanged, and damaged bytes are refused.
// Method: records with everything in them; each prefix of their bytes, and seeded changes of them.
#include "tables/schema/table_codec.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tables/schema/stream_record.h"

namespace mayfly::tables {
namespace {

StoredTable Everything() {
  StoredTable table;
  table.spec = {.name = "orders",
                .partition = {"customer", KeyType::kString},
                .sort = KeyAttribute{"order", KeyType::kNumber},
                .ttl_attribute = "expires",
                .ttl_mode = TtlMode::kUntilSwept};
  table.spec.global_indexes = {
      {.name = "by-state",
       .partition = {"state", KeyType::kBinary},
       .sort = KeyAttribute{"at", KeyType::kNumber},
       .projection = {.kind = IndexProjection::Kind::kInclude, .attributes = {"a", "b"}}},
      {.name = "by-city", .partition = {"city", KeyType::kString}}};
  table.spec.local_indexes = {{.name = "by-date",
                               .partition = {"customer", KeyType::kString},
                               .sort = KeyAttribute{"date", KeyType::kString},
                               .projection = {.kind = IndexProjection::Kind::kKeysOnly}}};
  table.spec.stream = StreamView::kNewImage;
  table.spec.schemas = {
      {.prefix = "vip#",
       .attributes = {{.name = "name", .type = AttributeType::kString, .required = true},
                      {.name = "tags", .type = AttributeType::kStringSet}},
       .only_these = true}};
  table.spec.notes = {{"billing", "PAY_PER_REQUEST"}, {"owner", std::string("\0x", 2)}};
  table.spec.purge_within = Millis(5000);
  table.id = "0b0c0d0e-0000-4000-8000-000000000001";
  table.created_at = WallTimeFromMs(1'700'000'000'123);
  table.ttl_status = TtlStatus::kEnabling;
  table.next_number = 300;
  table.shadows = 12;
  table.global_indexes = {{.status = IndexStatus::kCreating, .number = 299}, {.number = 1}};
  table.local_indexes = {{.number = 2}};
  table.streams = {
      {.label = "2023", .view = StreamView::kKeysOnly, .enabled = false, .created_at = {}},
      {.label = "2024",
       .view = StreamView::kNewImage,
       .enabled = true,
       .created_at = WallTimeFromMs(1'700'000'000'124)}};
  return table;
}

TEST(TableCodec, KeepsEverythingOfATable) {
  const StoredTable table = Everything();
  const auto read = DecodeTable(EncodeTable(table));
  ASSERT_TRUE(read.has_value()) << read.status().ToString();
  EXPECT_EQ(read->spec, table.spec);
  EXPECT_EQ(read->id, table.id);
  EXPECT_EQ(read->created_at, table.created_at);
  EXPECT_EQ(read->ttl_status, table.ttl_status);
  EXPECT_EQ(read->next_number, table.next_number);
  EXPECT_EQ(read->shadows, table.shadows);
  ASSERT_EQ(read->global_indexes.size(), 2U);
  EXPECT_EQ(read->global_indexes[0].status, IndexStatus::kCreating);
  EXPECT_EQ(read->global_indexes[0].number, 299U);
  ASSERT_EQ(read->local_indexes.size(), 1U);
  EXPECT_EQ(read->local_indexes[0].number, 2U);
  ASSERT_EQ(read->streams.size(), 2U);
  EXPECT_FALSE(read->streams[0].enabled);
  EXPECT_EQ(read->streams[1].created_at, table.streams[1].created_at);
  EXPECT_EQ(EncodeTable(*read), EncodeTable(table));
}

TEST(TableCodec, KeepsJobsAndPlaces) {
  const RewriteJob job{.table = "orders",
                       .kind = RewriteJob::Kind::kUnshadowed,
                       .stage = RewriteJob::Stage::kWalkingFirst,
                       .walked = 1'000'000,
                       .after = std::string("a\0b", 3)};
  const auto read = DecodeJob(EncodeJob(job));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(EncodeJob(*read), EncodeJob(job));
  EXPECT_EQ(read->after, job.after);
  EXPECT_EQ(read->stage, job.stage);
  EXPECT_EQ(*DecodePlace(EncodePlace(UINT64_MAX)), UINT64_MAX);
}

TEST(TableCodec, TakesNoBeginningForTheWhole) {
  const std::string table = EncodeTable(Everything());
  for (std::size_t size = 0; size < table.size(); ++size) {
    EXPECT_EQ(DecodeTable(Bytes(table).substr(0, size)).status().code(), StatusCode::kCorruption)
        << size;
  }
  EXPECT_EQ(DecodeTable(table + 'x').status().code(), StatusCode::kCorruption);
  const std::string job = EncodeJob({.table = "orders", .after = "k"});
  for (std::size_t size = 0; size < job.size(); ++size) {
    EXPECT_EQ(DecodeJob(Bytes(job).substr(0, size)).status().code(), StatusCode::kCorruption);
  }
  EXPECT_EQ(DecodePlace("1234567").status().code(), StatusCode::kCorruption);
}

TEST(TableCodec, RefusesAnotherFormatByName) {
  std::string table = EncodeTable(Everything());
  for (const char format : {'\1', '\3'}) {
    table.front() = format;
    const auto read = DecodeTable(table);
    EXPECT_EQ(read.status().code(), StatusCode::kUnsupported);
    const std::string words =
        format == '\1' ? "format 1, which an older mayfly" : "format 3, which a newer mayfly";
    EXPECT_NE(read.status().message().find(words), std::string::npos) << read.status().ToString();
  }
}

TEST(TableCodec, WritesWhatItReadsWhateverTheBytes) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  const std::string good = EncodeTable(Everything());
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (std::uint64_t changes = random.Between(1, 3); changes > 0; --changes) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    const auto read = DecodeTable(bytes);
    if (!read) continue;
    ++accepted;
    ASSERT_EQ(EncodeTable(*read), bytes);
  }
  EXPECT_GT(accepted, 0);
}

TEST(StreamRecordCodec, ShowsWhatTheViewAsksFor) {
  const TableSpec spec{.name = "t",
                       .partition = {"p", KeyType::kString},
                       .sort = KeyAttribute{"s", KeyType::kNumber}};
  // clang-format off
  const Item before = {
      {"p", "a"},
      {"s", Number(1)},
      {"n", Number(1)}
  };
  const Item after = {
      {"p", "a"},
      {"s", Number(1)},
      {"n", Number(2)}
  };
  // clang-format on
  const struct {
    StreamView view;
    bool has_old;
    bool has_new;
    // clang-format off
  } cases[] = {
      {StreamView::kKeysOnly,        false, false},
      {StreamView::kNewImage,        false, true},
      {StreamView::kOldImage,        true,  false},
      {StreamView::kNewAndOldImages, true,  true}
  };
  // clang-format on
  for (const auto& one : cases) {
    StreamRecord record =
        MakeRecord(spec, one.view, &before, &after, false, WallTimeFromMs(1'700'000'000'000));
    record.sequence = 42;
    const auto read = DecodeRecord(EncodeSequence(42), EncodeRecord(record));
    ASSERT_TRUE(read.has_value()) << read.status().ToString();
    EXPECT_EQ(read->sequence, 42U);
    EXPECT_EQ(read->kind, StreamRecord::Kind::kModify);
    EXPECT_EQ(read->keys, (Item{{"p", "a"}, {"s", Number(1)}}));
    EXPECT_EQ(read->old_image.has_value(), one.has_old);
    EXPECT_EQ(read->new_image.has_value(), one.has_new);
    if (one.has_old) {
      EXPECT_EQ(*read->old_image, before);
    }
    if (one.has_new) {
      EXPECT_EQ(*read->new_image, after);
    }
    EXPECT_EQ(read->bytes, record.bytes);
    EXPECT_GT(read->bytes, 0U);
  }
}

TEST(StreamRecordCodec, RefusesDamage) {
  const TableSpec spec{.name = "t", .partition = {"p", KeyType::kString}};
  const Item item = {{"p", "a"}, {"n", Number(1)}};
  const std::string good = EncodeRecord(
      MakeRecord(spec, StreamView::kOldImage, &item, nullptr, true, WallTimeFromMs(5)));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(DecodeRecord(EncodeSequence(1), Bytes(good).substr(0, size)).has_value()) << size;
  }
  EXPECT_FALSE(DecodeRecord("1234567", good).has_value());
  EXPECT_TRUE(DecodeRecord(EncodeSequence(1), good)->by_ttl);
}

}  // namespace
}  // namespace mayfly::tables
