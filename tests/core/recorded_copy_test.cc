// Goal: a folder with a copy of rows is there as a whole or not at all, and a proof names it.
// Method: folders that are filled, that fail half way, that exist already, and one that was cut off.
#include "core/upkeep/recorded_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/each_engine.h"
#include "core/store/store_of.h"
#include "core/upkeep/backup_book.h"
#include "core/upkeep/backup_file.h"

namespace mayfly {
namespace {

namespace fs = std::filesystem;

class RecordedCopies : public EachEngine {
 protected:
  std::string Path() const { return directory_.Inside("copy"); }
  bool NothingIsLeft() const { return fs::is_empty(directory_.path()); }

  static Status Fill(const std::string& folder) {
    fs::create_directory(folder);
    std::ofstream(folder + "/rows") << "rows";
    return {};
  }

  Status Make() { return core::MakeRecordedCopy(database(), Path(), Fill); }

  // What a proof says of backups, in one text.
  std::string Named() {
    std::string words;
    const auto proof = database().Prove();
    EXPECT_TRUE(proof.has_value());
    for (const ProofHolder& holder : proof->holders) {
      if (holder.kind == ProofHolder::Kind::kBackup) words += holder.description + "\n";
    }
    return words;
  }

  TemporaryDirectory directory_;
};

TEST_P(RecordedCopies, HaveTheirNameWhenTheyAreCompleteAndAreNamedByAProof) {
  const auto fill = [&](const std::string& folder) {
    const Status filled = Fill(folder);
    EXPECT_FALSE(fs::exists(Path())) << "it is not there before it is complete";
    EXPECT_NE(Named().find(core::PartialOf(Path())), std::string::npos);
    return filled;
  };
  ASSERT_EQ(CodeOf(core::MakeRecordedCopy(database(), Path(), fill)), kOk);
  EXPECT_TRUE(fs::exists(Path() + "/rows"));
  EXPECT_FALSE(fs::exists(core::PartialOf(Path())));
  EXPECT_NE(Named().find(Path()), std::string::npos);
  fs::remove_all(Path());
  EXPECT_EQ(Named(), "") << "removed, it holds nothing";
}

TEST_P(RecordedCopies, LeaveNothingWhenTheyFail) {
  const auto fail = [](const std::string& folder) {
    EXPECT_EQ(CodeOf(Fill(folder)), kOk);
    return Status::Conflict("ended as asked");
  };
  EXPECT_EQ(CodeOf(core::MakeRecordedCopy(database(), Path(), fail)), kConflict);
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_EQ(Named(), "");
  EXPECT_EQ(CodeOf(Make()), kOk) << "the name is free again";
}

TEST_P(RecordedCopies, TakeNoNameThatIsTaken) {
  fs::create_directory(Path());
  EXPECT_EQ(CodeOf(Make()), kInvalid) << "an empty folder, too";
  fs::remove(Path());
  fs::create_symlink("nowhere", Path());
  EXPECT_EQ(CodeOf(Make()), kInvalid) << "a link that leads nowhere, too";
  fs::remove(Path());
  std::ofstream(core::PartialOf(Path())) << "of others";
  EXPECT_EQ(CodeOf(Make()), kBusy);
  EXPECT_TRUE(fs::exists(core::PartialOf(Path())));
  fs::remove(core::PartialOf(Path()));
  const auto late = [&](const std::string& folder) {
    fs::create_directory(Path());
    return Fill(folder);
  };
  EXPECT_EQ(CodeOf(core::MakeRecordedCopy(database(), Path(), late)), kIoError)
      << "one that came to be meanwhile";
  EXPECT_TRUE(fs::is_empty(Path()));
  EXPECT_FALSE(fs::exists(core::PartialOf(Path())));
}

TEST_P(RecordedCopies, AreRemovedAtTheNextOpenWhenTheyWereCutOff) {
  if (!home_.persistent()) return;
  core::BackupBook book(core::StoreOf(database()).engine());
  ASSERT_EQ(CodeOf(book.Begin(Path(), clock().Now())), kOk);
  ASSERT_EQ(CodeOf(Fill(core::PartialOf(Path()))), kOk);
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  home_.Open();
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_EQ(Named(), "");
}

INSTANTIATE_TEST_SUITE_P(On, RecordedCopies, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
