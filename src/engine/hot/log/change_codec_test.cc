// Batches come back from payloads as they were, and no other bytes are taken for changes.
// Method: random batches, every shortened payload, damaged first bytes.
#include "engine/hot/log/change_codec.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace mayfly::engine::hot {
namespace {

struct Decoded {
  std::vector<std::tuple<Batch::Kind, Role, std::string, std::string>> changes;
  std::vector<std::string> notes;
  Status status;
};

Decoded Decode(Bytes payload) {
  Decoded out;
  out.status = DecodePayload(
      payload,
      [&](const Batch::Change& change) {
        out.changes.emplace_back(change.kind, change.at.role, change.key, change.value);
        return Status();
      },
      [&](Bytes note) {
        out.notes.emplace_back(note);
        return Status();
      });
  return out;
}

Batch RandomBatch(Random& random) {
  Batch batch;
  for (std::uint64_t i = random.Between(1, 8); i > 0; --i) {
    const Address at = {static_cast<Role>(random.Below(kRoleCount))};
    const std::string key = random.Bytes(random.Between(1, 300));
    switch (random.Below(3)) {
      case 0: batch.Put(at, key, random.Bytes(random.Below(400))); break;
      case 1: batch.Delete(at, key); break;
      default: batch.DeleteRange(at, key, key + random.Bytes(3)); break;
    }
  }
  return batch;
}

TEST(ChangeCodec, BatchesComeBackAsTheyWere) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const Batch batch = RandomBatch(random);
    ASSERT_TRUE(batch.status().ok());
    std::string room;
    const Bytes payload = EncodeBatch(batch, room);
    const Decoded decoded = Decode(payload);
    ASSERT_TRUE(decoded.status.ok());
    ASSERT_EQ(decoded.changes.size(), batch.change_count());
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      const Batch::Change change = batch.change(i);
      EXPECT_EQ(decoded.changes[i], std::tuple(change.kind, change.at.role, std::string(change.key),
                                               std::string(change.value)));
    }
  }
}

TEST(ChangeCodec, NotesAndMarksAreNoChanges) {
  std::string payload;
  EncodeNote("fold 17", payload);
  EXPECT_EQ(Decode(payload).notes, std::vector<std::string>{"fold 17"});
  const Decoded mark = Decode("");
  EXPECT_TRUE(mark.status.ok());
  EXPECT_TRUE(mark.changes.empty() && mark.notes.empty());
}

TEST(ChangeCodec, OtherBytesAreCorruptionOrUnsupported) {
  EXPECT_EQ(Decode("\x07").status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(Decode(Bytes("\0\x03", 2)).status.code(), StatusCode::kCorruption);  // Bad kind.
  EXPECT_EQ(Decode(Bytes("\0\x50", 2)).status.code(), StatusCode::kCorruption);  // Bad role.
  EXPECT_EQ(Decode(Bytes("\0\0\x05", 3)).status.code(), StatusCode::kCorruption);
  Batch batch;
  batch.Put({}, "key", "value");
  std::string room;
  const Bytes payload = EncodeBatch(batch, room);
  for (std::size_t size = 2; size < payload.size(); ++size) {
    EXPECT_EQ(Decode(Bytes(payload).substr(0, size)).status.code(), StatusCode::kCorruption);
  }
}

TEST(ChangeCodec, TheFirstErrorOfACallbackEndsIt) {
  Batch batch;
  batch.Put({}, "a", "1");
  batch.Put({}, "b", "2");
  std::string room;
  const Bytes payload = EncodeBatch(batch, room);
  int calls = 0;
  const Status status = DecodePayload(
      payload,
      [&](const Batch::Change&) {
        ++calls;
        return Status::Busy("enough");
      },
      [](Bytes) { return Status(); });
  EXPECT_EQ(status.code(), StatusCode::kBusy);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace mayfly::engine::hot
