// calls.h - implements the public reads on views and the public writes on decisions.
// Keyspaces, snapshots and transactions derive from these and supply the view or apply the
// decision.
#pragma once

#include "core/reads/reads.h"
#include "core/transactions/writes.h"
#include "mayfly/keyspace.h"

namespace mayfly::core {

// Answers the reads of `Interface` from a view that the derived class makes per call.
template <typename Interface>
class ReadCalls : public Interface {
 public:
  using Interface::Get;

  Status Get(Bytes key, PinnedBytes& value) const override {
    return ReadValue(MakeView(), key, value);
  }
  Result<Row> GetRow(Bytes key) const override { return ReadRow(MakeView(), key); }
  Result<std::vector<Result<std::string>>> MultiGet(std::span<const Bytes> keys) const override {
    return ReadMany(MakeView(), keys);
  }
  Result<bool> Exists(Bytes key) const override {
    PinnedBytes pin;
    std::optional<RowView> row;
    MAYFLY_RETURN_IF_ERROR(FindRow(MakeView(), key, pin, row));
    return row.has_value();
  }
  Result<Row> GetAsOf(Bytes key, WallTime as_of) const override {
    return ReadAsOf(MakeView(), key, as_of);
  }
  Result<Millis> Ttl(Bytes key) const override { return ReadTtl(MakeView(), key); }
  Result<std::uint64_t> Count() const override { return CountRows(MakeView()); }
  Result<std::unique_ptr<Cursor>> NewCursor(const CursorOptions& options) const override {
    return OpenCursor(MakeView(), options);
  }
  Result<std::vector<DeadlineEntry>> ScanDeadlines(const DeadlineWindow& window) const override {
    return ReadDeadlines(MakeView(), window);
  }
  Result<std::vector<ForecastBucket>> Forecast(const ForecastOptions& options) const override {
    return ReadForecast(MakeView(), options);
  }

 protected:
  virtual View MakeView() const = 0;
};

// Turns the writes of `Interface` into decisions that the derived class applies.
template <typename Interface>
class WriteCalls : public ReadCalls<Interface>, private WriteTarget {
 public:
  Result<bool> PutIf(Bytes key, Bytes value, const PutCondition& condition,
                     Lifetime lifetime) override {
    return WriteIf(*this, key, value, condition, lifetime);
  }
  Result<bool> Delete(Bytes key) override { return DeleteRow(*this, key); }
  Result<bool> PutAt(Bytes key, Bytes value, WallTime timestamp, Lifetime lifetime) override {
    return WriteAt(*this, key, value, timestamp, lifetime);
  }
  Result<bool> DeleteAt(Bytes key, WallTime timestamp) override {
    return core::DeleteAt(*this, key, timestamp);
  }
  Status Update(Bytes key, const KeyspaceWriter::UpdateFunction& update,
                Lifetime lifetime) override {
    return UpdateRow(*this, key, update, lifetime);
  }
  Result<bool> Expire(Bytes key, Lifetime lifetime, DeadlineIf condition) override {
    return ExpireRow(*this, key, lifetime, condition);
  }
  Result<Row> Touch(Bytes key, Lifetime lifetime) override {
    return TouchRow(*this, key, lifetime);
  }
};

}  // namespace mayfly::core
