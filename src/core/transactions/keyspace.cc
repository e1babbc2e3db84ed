// Calls of the public interfaces that are composed of other calls.
#include "mayfly/database.h"

namespace mayfly {

Result<std::string> KeyspaceReader::Get(Bytes key) const {
  PinnedBytes value;
  MAYFLY_RETURN_IF_ERROR(Get(key, value));
  return std::string(value.view());
}

Status KeyspaceWriter::Put(Bytes key, Bytes value, Lifetime lifetime) {
  return PutIf(key, value, PutCondition::Always(), lifetime).status();
}

Result<bool> KeyspaceWriter::Persist(Bytes key) {
  return Expire(key, Lifetime::Forever(), DeadlineIf::kPresent);
}

Status Database::Transact(const std::function<Status(Transaction&)>& work, int attempts_max) {
  Status outcome = Status::Invalid("Transact() needs at least one attempt");
  for (int attempt = 0; attempt < attempts_max; ++attempt) {
    MAYFLY_TRY(const auto transaction, Begin());
    MAYFLY_RETURN_IF_ERROR(work(*transaction));
    outcome = transaction->Commit();
    if (outcome.code() != StatusCode::kConflict) return outcome;
  }
  return outcome;
}

}  // namespace mayfly
