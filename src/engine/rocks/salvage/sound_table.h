// sound_table.h - reads the sound blocks of an SST file, damaged or not.
// Every block has a checksum of its own, so a damaged one is given up by itself. Where the index is
// lost, blocks are found one after the other by their checksums, up to the first damaged one. A
// file without either is given up.
// Threads: a table may be read by any number, a TableCursor by one.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/rocks/files/sst_format.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine {

// One version of a key, or its deletion.
struct TableEntry {
  std::string key;
  std::uint64_t sequence = 0;
  bool deleted = false;
  std::string value;
};

struct RangeTombstone {
  std::string begin;
  std::string end;
  std::uint64_t sequence = 0;
};

class SoundTable {
 public:
  // A part of the file that cannot be read. `where` is the same each time it is met.
  struct Damage {
    std::string where;
    std::string what;
  };
  using NoteDamage = std::function<void(const Damage&)>;

  // Corruption when nothing can be read. `name` is for messages.
  static Result<std::shared_ptr<const SoundTable>> Open(rocksdb::Env& env, const std::string& path,
                                                        std::string name, NoteDamage note);

  // The family named in the file's own properties; nothing when they cannot be read.
  const std::optional<std::string>& family() const { return family_; }
  const std::vector<RangeTombstone>& range_tombstones() const { return ranges_; }

  std::size_t blocks() const { return blocks_.size(); }
  // The first block that may contain `key` or a later key; blocks() when none does.
  std::size_t FindBlock(Bytes key) const;
  // False, and recorded, when the block is damaged.
  bool ReadBlock(std::size_t block, std::vector<TableEntry>& entries) const;

 private:
  struct Block {
    std::string last_key;  // An upper bound of the block's keys.
    BlockHandle at;
  };

  SoundTable(std::unique_ptr<rocksdb::RandomAccessFile> file, std::uint64_t bytes, std::string name,
             NoteDamage note);
  Status ReadAll();
  Status ReadMetaindex(const BlockHandle& handle);
  Status ReadProperties(const BlockHandle& handle);
  Status ReadRanges(const BlockHandle& handle);
  Status ReadIndex(const BlockHandle& handle);
  bool FindNextBlock(std::uint64_t offset);
  void Note(std::uint64_t offset, std::string what) const;

  const std::unique_ptr<rocksdb::RandomAccessFile> file_;
  const std::uint64_t bytes_;
  const std::string name_;
  const NoteDamage note_;
  char checksum_ = kBlockChecksum;
  bool index_has_user_keys_ = true;
  bool index_has_two_levels_ = false;
  std::optional<std::string> family_;
  std::vector<RangeTombstone> ranges_;
  std::vector<Block> blocks_;
};

// The newest version of each key of a table, in order, both ways.
class TableCursor {
 public:
  explicit TableCursor(std::shared_ptr<const SoundTable> table) : table_(std::move(table)) {}

  bool Valid() const { return at_ < entries_.size(); }
  const TableEntry& entry() const { return entries_[at_]; }

  void SeekAtOrAfter(Bytes key);
  void SeekAtOrBefore(Bytes key);
  void SeekToLast();
  void Next();
  void Prev();

 private:
  void EnterForward(std::size_t block);
  void EnterBackward(std::size_t block_end);  // The last sound one before it.

  const std::shared_ptr<const SoundTable> table_;  // Shared with the engine and other walks.
  std::size_t block_ = 0;
  std::vector<TableEntry> entries_;  // Of block_, the newest of each key.
  std::size_t at_ = 0;
};

// Entries of a data block, the newest version of each key. Corruption when it cannot be parsed.
Status ParseDataBlock(Bytes block, std::vector<TableEntry>& entries);

}  // namespace mayfly::engine
