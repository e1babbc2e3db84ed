#include "server/lead/copy_writer.h"

#include <bit>
#include <memory>
#include <utility>

#include "base/coding.h"
#include "rdb/rdb_writer.h"
#include "rdb/stream_writer.h"
#include "server/commands/keys/dump_streams.h"
#include "server/commands/support/collection_walk.h"
#include "server/functions/library_rows.h"
#include "types/hash.h"
#include "types/list.h"
#include "types/member_key.h"
#include "types/set.h"
#include "types/sorted_set.h"
#include "types/string.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::uint64_t kKeysUntilForgotten = 64;

class CopyWriter {
 public:
  CopyWriter(const CopyRequest& request, FunctionRef<bool(std::string piece)> take)
      : request_(request),
        take_(take),
        reader_(request.state.NewReader()),
        writer_(request.field_deadlines ? rdb::kRdbVersionWithFieldDeadlines : rdb::kRdbVersion) {}

  Status Run() {
    writer_.Aux("redis-ver", request_.field_deadlines ? "7.4.0" : "7.0.15");
    writer_.Aux("redis-bits", "64");
    MAYFLY_TRY(const LibraryTexts libraries, ReadLibraries(reader_->In(request_.own)));
    for (const auto& [name, text] : libraries) writer_.Function(text);
    for (std::size_t number = 0; number < request_.databases.size(); ++number) {
      if (request_.databases[number] == nullptr) continue;
      MAYFLY_RETURN_IF_ERROR(WriteDatabase(static_cast<int>(number), *request_.databases[number]));
    }
    writer_.End();
    return Send();
  }

 private:
  Status WriteDatabase(int number, const Keyspace& keyspace) {
    const auto rows = request_.state.NewReader();
    MAYFLY_TRY(const auto cursor, rows->In(keyspace).NewCursor());
    bool any = false;
    std::uint64_t read = 0;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      if (!std::exchange(any, true)) writer_.Database(number);
      MAYFLY_RETURN_IF_ERROR(WriteRow(reader_->In(keyspace), *cursor));
      if (++read % kKeysUntilForgotten == 0) reader_->Forget();
    }
    reader_->Forget();
    return cursor->status();
  }

  Status WriteRow(core::TransactionKeyspace& space, const core::TransactionCursor& row) {
    MAYFLY_TRY(const types::ValueType type, types::TypeOf(row.is_collection(), row.value()));
    const Bytes key = row.key();
    const auto deadline = row.deadline();
    switch (type) {
      case types::ValueType::kString: {
        core::FoundRow whole;
        MAYFLY_RETURN_IF_ERROR(types::FindTyped(space, key, type, whole));
        writer_.KeyHead(key, deadline, rdb::kRdbString);
        rdb::AppendString(writer_.out(), whole.value);
        return SendSome();
      }
      case types::ValueType::kList: {
        MAYFLY_TRY(const types::List list, types::List::Open(space, key));
        writer_.KeyHead(key, deadline, rdb::kRdbList);
        return WriteElements(space, key, type, list.size());
      }
      case types::ValueType::kSet: {
        MAYFLY_TRY(const types::Set set, types::Set::Open(space, key));
        writer_.KeyHead(key, deadline, rdb::kRdbSet);
        return WriteElements(space, key, type, set.size());
      }
      case types::ValueType::kSortedSet: return WriteScores(space, key, deadline);
      case types::ValueType::kHash: return WriteFields(space, key, deadline);
      case types::ValueType::kStream: break;
    }
    return WriteStream(space, key, deadline);
  }

  Status WriteElements(core::TransactionKeyspace& space, Bytes key, types::ValueType type,
                       std::uint64_t count) {
    rdb::AppendLength(writer_.out(), count);
    Status sent;
    std::uint64_t written = 0;
    MAYFLY_RETURN_IF_ERROR(WalkElements(space, key, type, [&](Bytes element) {
      ++written;
      if (!sent.ok()) return;
      rdb::AppendString(writer_.out(), element);
      sent = SendSome();
    }));
    return sent.ok() ? CheckCount(count, written) : sent;
  }

  Status WriteScores(core::TransactionKeyspace& space, Bytes key,
                     std::optional<WallTime> deadline) {
    MAYFLY_TRY(const types::SortedSet set, types::SortedSet::Open(space, key));
    writer_.KeyHead(key, deadline, rdb::kRdbSortedSet);
    rdb::AppendLength(writer_.out(), set.size());
    Status sent;
    std::uint64_t written = 0;
    MAYFLY_RETURN_IF_ERROR(
        set.Walk({.range = types::RankRange{0, -1}}, [&](Bytes name, double score) {
          ++written;
          if (!sent.ok()) return;
          rdb::AppendString(writer_.out(), name);
          AppendLittleEndian64(writer_.out(), std::bit_cast<std::uint64_t>(score));
          sent = SendSome();
        }));
    return sent.ok() ? CheckCount(set.size(), written) : sent;
  }

  // Deadlines are stored as distances from an instant that lies before all of them, plus one; 0 is
  // none.
  Status WriteFields(core::TransactionKeyspace& space, Bytes key,
                     std::optional<WallTime> deadline) {
    MAYFLY_TRY(const types::Hash hash, types::Hash::Open(space, key));
    const WallTime base = request_.state.now();
    writer_.KeyHead(key, deadline,
                    request_.field_deadlines ? rdb::kRdbHashWithDeadlines : rdb::kRdbHash);
    if (request_.field_deadlines) {
      AppendLittleEndian64(writer_.out(), static_cast<std::uint64_t>(ToMs(base)));
    }
    rdb::AppendLength(writer_.out(), hash.size());
    std::uint64_t written = 0;
    MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      if (request_.field_deadlines) {
        const auto dies = cursor->deadline();
        rdb::AppendLength(writer_.out(),
                          dies ? static_cast<std::uint64_t>((*dies - base).count() + 1) : 0);
      }
      rdb::AppendString(writer_.out(), types::NameOfMember(cursor->member()));
      rdb::AppendString(writer_.out(), cursor->value());
      ++written;
      MAYFLY_RETURN_IF_ERROR(SendSome());
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    return CheckCount(hash.size(), written);
  }

  Status WriteStream(core::TransactionKeyspace& space, Bytes key,
                     std::optional<WallTime> deadline) {
    DumpedValue value{.type = types::ValueType::kStream};
    MAYFLY_RETURN_IF_ERROR(
        ReadStreamRows(space, key, request_.state.now(), value, MaxAges::kLeaveOut));
    writer_.KeyHead(key, deadline, rdb::kRdbStream2);
    rdb::AppendStream(writer_.out(), value.entries, *value.stream);
    return SendSome();
  }

  static Status CheckCount(std::uint64_t told, std::uint64_t written) {
    if (told == written) return {};
    return Status::Corruption("a collection has another number of members than it says");
  }

  Status SendSome() { return writer_.size() < kPieceBytes ? Status() : Send(); }
  Status Send() {
    return take_(writer_.Take()) ? Status() : Status::Conflict("nobody takes the copy any more");
  }

  const CopyRequest& request_;
  const FunctionRef<bool(std::string piece)> take_;
  const std::unique_ptr<core::FrozenReader> reader_;
  rdb::Writer writer_;
};

}  // namespace

Status WriteCopy(const CopyRequest& request, FunctionRef<bool(std::string piece)> take) {
  return CopyWriter(request, take).Run();
}

}  // namespace mayfly::server
