// Goal: an item, its index entries and its shadow change together, with one deadline.
// Method: a table made by hand; its keyspaces are read as rows.
#include "tables/items/item_writer.h"

#include "items/item_key.h"
#include "tables/tables_home.h"

namespace mayfly::tables {
namespace {

using items::StoredItem;

class ItemWriter : public EachEngine {
 protected:
  ItemWriter() {
    table_.spec = PostsSpec();
    table_.items = *database().CreateKeyspace("items");
    const auto add = [&](const IndexSpec& spec, bool local) {
      table_.indexes.push_back(
          {.spec = spec, .local = local, .rows = *database().CreateKeyspace(spec.name)});
    };
    add(table_.spec.global_indexes[0], false);
    add(table_.spec.local_indexes[0], true);
  }

  void UntilSwept() {
    table_.spec.ttl_mode = TtlMode::kUntilSwept;
    table_.shadows = *database().CreateKeyspace("shadows", {.events = EventDetail::kKey});
  }

  static Item Post(const Item& more) {
    Item item = {{"user", "alice"}, {"nr", N(1)}};
    for (const auto& [name, value] : more) item[name] = value;
    return item;
  }

  std::string Key() { return KeyOfItem(table_, Post({})).value(); }

  void Write(const Item* after) {
    const auto transaction = *database().Begin();
    const auto before = ReadItem(*transaction, table_, Key()).value();
    ASSERT_TRUE(
        WriteItem(*transaction, table_, Key(), before ? &before->item : nullptr, after, 7).ok());
    ASSERT_TRUE(transaction->Commit().ok());
  }

  // The entries of an index: their content and deadlines.
  std::vector<std::pair<Item, std::optional<WallTime>>> Entries(std::size_t index) {
    std::vector<std::pair<Item, std::optional<WallTime>>> entries;
    const auto cursor = *table_.indexes[index].rows->NewCursor();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      entries.emplace_back(items::DecodeItem(cursor->value())->item, cursor->deadline());
    }
    return entries;
  }

  Table table_;
};

TEST_P(ItemWriter, WritesTheItemAndItsEntries) {
  // clang-format off
  const Item item = Post({
      {"topic", "t"},
      {"score", N(1)},
      {"title", "x"},
      {"body",  "b"}
  });
  // clang-format on
  Write(&item);
  const auto stored = items::DecodeItem(table_.items->KeyspaceReader::Get(Key()).value());
  EXPECT_EQ(stored->item, item);
  EXPECT_EQ(stored->version, 7U);
  ASSERT_EQ(Entries(0).size(), 1U);
  EXPECT_EQ(Entries(0)[0].first, Post({{"topic", "t"}, {"score", N(1)}, {"title", "x"}}));
  ASSERT_EQ(Entries(1).size(), 1U);
  EXPECT_EQ(Entries(1)[0].first, Post({{"score", N(1)}}));
}

TEST_P(ItemWriter, MovesEntriesWithTheirKeys) {
  const Item one = Post({{"topic", "t"}, {"score", N(1)}});
  const Item two = Post({{"topic", "t"}, {"score", N(2)}});
  const Item without = Post({{"score", N(2)}});
  Write(&one);
  Write(&two);
  ASSERT_EQ(Entries(0).size(), 1U);
  EXPECT_EQ(Entries(0)[0].first.at("score"), AttributeValue(N(2)));
  Write(&without);
  EXPECT_EQ(Entries(0).size(), 0U) << "it lacks the topic";
  EXPECT_EQ(Entries(1).size(), 1U);
  Write(nullptr);
  EXPECT_EQ(Entries(1).size(), 0U);
  EXPECT_EQ(table_.items->Count().value(), 0U);
}

TEST_P(ItemWriter, GivesEntriesTheDeadlineOfTheItem) {
  // clang-format off
  const Item item = Post({
      {"topic",   "t"},
      {"score",   N(1)},
      {"expires", SecondsAfterStart(5)}
  });
  const Item longer = Post({
      {"topic",   "t"},
      {"score",   N(1)},
      {"expires", SecondsAfterStart(9)}
  });
  // clang-format on
  Write(&item);
  EXPECT_EQ(Entries(0)[0].second, kStart + Millis(5000));
  EXPECT_EQ(Entries(1)[0].second, kStart + Millis(5000));
  Write(&longer);
  EXPECT_EQ(Entries(0)[0].second, kStart + Millis(9000)) << "though the entry holds the same";
  EXPECT_EQ(Entries(1)[0].second, kStart + Millis(9000));
  EXPECT_EQ(table_.items->GetRow(Key())->deadline, kStart + Millis(9000));
}

TEST_P(ItemWriter, LeavesADeadItemsEntriesToTheirDeath) {
  // clang-format off
  const Item item = Post({
      {"topic",   "t"},
      {"score",   N(1)},
      {"expires", SecondsAfterStart(5)}
  });
  // clang-format on
  const Item other = Post({{"topic", "u"}, {"score", N(1)}});
  Write(&item);
  clock().Advance(Millis(5000));
  Write(&other);
  ASSERT_EQ(Entries(0).size(), 1U);
  EXPECT_EQ(Entries(0)[0].first.at("topic"), AttributeValue("u"));
  ASSERT_EQ(Entries(1).size(), 1U);
  EXPECT_EQ(Entries(1)[0].second, std::nullopt) << "not the dead one's deadline";
}

TEST_P(ItemWriter, ItemsThatDoNotFitAnIndexAreNotInIt) {
  const Item mistyped = Post({{"topic", N(1)}, {"score", N(1)}});
  const Item empty = Post({{"topic", ""}, {"score", N(1)}});
  Write(&mistyped);
  EXPECT_EQ(Entries(0).size(), 0U);
  Write(&empty);
  EXPECT_EQ(Entries(0).size(), 0U);
}

TEST_P(ItemWriter, AShadowDiesForAnItemThatIsSwept) {
  UntilSwept();
  // clang-format off
  const Item item = Post({
      {"topic",   "t"},
      {"score",   N(1)},
      {"expires", SecondsAfterStart(5)}
  });
  // clang-format on
  Write(&item);
  EXPECT_EQ(table_.items->GetRow(Key())->deadline, std::nullopt);
  EXPECT_EQ(Entries(0)[0].second, std::nullopt);
  EXPECT_EQ(table_.shadows->GetRow(Key())->deadline, kStart + Millis(5000));
  const Item forever = Post({});
  Write(&forever);
  EXPECT_EQ(table_.shadows->Count().value(), 0U);
  Write(&item);
  Write(nullptr);
  EXPECT_EQ(table_.shadows->Count().value(), 0U);
}

TEST_P(ItemWriter, RewritesAnItemAsTheTableIsNow) {
  // clang-format off
  const Item item = Post({
      {"topic",   "t"},
      {"score",   N(1)},
      {"expires", SecondsAfterStart(5)}
  });
  // clang-format on
  table_.spec.ttl_attribute.clear();
  Write(&item);
  ASSERT_TRUE(table_.indexes[0].rows->Clear().ok());
  table_.spec.ttl_attribute = "expires";
  const auto transaction = *database().Begin();
  const auto stored = ReadItem(*transaction, table_, Key()).value();
  ASSERT_TRUE(RewriteItem(*transaction, table_, Key(), *stored).ok());
  ASSERT_TRUE(transaction->Commit().ok());
  EXPECT_EQ(table_.items->GetRow(Key())->deadline, kStart + Millis(5000));
  ASSERT_EQ(Entries(0).size(), 1U);
  EXPECT_EQ(Entries(1)[0].second, kStart + Millis(5000));
}

INSTANTIATE_TEST_SUITE_P(Engines, ItemWriter, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly::tables
