#include "engine/rocks/reader/layered_state.h"

#include <rocksdb/write_batch.h>

#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {
namespace {

constexpr char kPutMark = 'v';
constexpr char kDeletedMark = 'd';

// Converts RocksDB's batch into one for the tail.
class ToTail final : public rocksdb::WriteBatch::Handler {
 public:
  ToTail(HiddenByRole& hidden, FunctionRef<void(Role, Bytes, Bytes)> touched)
      : hidden_(hidden), touched_(touched) {}

  const Batch& batch() const { return batch_; }

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    marked_.assign(1, kPutMark);
    marked_.append(value.data(), value.size());
    return Mark(family, key);
  }
  rocksdb::Status DeleteCF(std::uint32_t family, const rocksdb::Slice& key) override {
    marked_.assign(1, kDeletedMark);
    return Mark(family, key);
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t family, const rocksdb::Slice& begin,
                                const rocksdb::Slice& end) override {
    if (family >= kRoleCount) return Unknown();
    batch_.DeleteRange({static_cast<Role>(family)}, ToBytes(begin), ToBytes(end));
    hidden_[family] = hidden_[family]->With(ToBytes(begin), ToBytes(end));
    touched_(static_cast<Role>(family), ToBytes(begin), ToBytes(end));
    return {};
  }
  void LogData(const rocksdb::Slice& /*blob*/) override {}
  rocksdb::Status MarkNoop(bool /*empty_batch*/) override { return {}; }

 private:
  rocksdb::Status Mark(std::uint32_t family, const rocksdb::Slice& key) {
    if (family >= kRoleCount) return Unknown();
    batch_.Put({static_cast<Role>(family)}, ToBytes(key), marked_);
    touched_(static_cast<Role>(family), ToBytes(key), ToBytes(key));
    return {};
  }
  static rocksdb::Status Unknown() { return rocksdb::Status::Corruption("an unknown role"); }

  HiddenByRole& hidden_;
  const FunctionRef<void(Role, Bytes, Bytes)> touched_;
  Batch batch_;
  std::string marked_;
};

}  // namespace

Status LayeredState::Apply(const std::string& record,
                           FunctionRef<void(Role, Bytes, Bytes)> touched) {
  HiddenByRole changed = hidden;
  ToTail to_tail(changed, touched);
  const rocksdb::WriteBatch batch(record);
  if (const rocksdb::Status status = batch.Iterate(&to_tail); !status.ok()) {
    return FromRocks(status, "reading the log");
  }
  MAYFLY_RETURN_IF_ERROR(tail->Commit(to_tail.batch()));
  hidden = std::move(changed);
  return {};
}

TailWord ReadTailValue(Bytes stored, Bytes& value) {
  if (stored.front() == kDeletedMark) return TailWord::kDeleted;
  value = stored.substr(1);
  return TailWord::kPut;
}

}  // namespace mayfly::engine
