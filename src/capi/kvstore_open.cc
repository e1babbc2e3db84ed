// Implements opening and closing of kvstore.h.
#include "capi/kvstore_open.h"

#include <fmt/format.h>

#include <filesystem>

#include "capi/kvstore_call.h"
#include "mayfly/encryption.h"

namespace mayfly::kvstore {
namespace {

DatabaseOptions ToDatabaseOptions(const StoreOptions& options, const std::string& directory,
                                  Bytes password) {
  return {.directory = directory,
          .read_only = options.read_only,
          .create_if_missing = true,
          .password = password,
          .memory = options.memory,
          .durability = options.durability,
          .allow_any_instant = true,  // The interface defines the unit.
          .clock_jump_max = Millis::max(),
          .clock = &ClockOfStores()};
}

Result<StoreOptions> ToOptions(const KVStoreConfig& config) {
  StoreOptions options;
  if (config.journalMode != KVSTORE_JOURNAL_DELETE && config.journalMode != KVSTORE_JOURNAL_WAL) {
    return Status::Invalid(fmt::format("unknown journal mode {}", config.journalMode));
  }
  if (config.syncLevel < KVSTORE_SYNC_OFF || config.syncLevel > KVSTORE_SYNC_FULL) {
    return Status::Invalid(fmt::format("unknown sync level {}", config.syncLevel));
  }
  if (config.cacheSize < 0 || config.pageSize < 0 || config.busyTimeout < 0 ||
      config.walSizeLimit < 0) {
    return Status::Invalid("a number of the configuration is negative");
  }
  options.wal = config.journalMode == KVSTORE_JOURNAL_WAL;
  options.read_only = config.readOnly != 0;
  if (config.syncLevel == KVSTORE_SYNC_FULL) options.durability = Durability::kDisk;
  if (config.pageSize > 0) options.page_bytes = static_cast<std::uint64_t>(config.pageSize);
  options.checkpoint_commits = static_cast<std::uint64_t>(config.walSizeLimit);
  options.busy_timeout = Millis(config.busyTimeout);
  // The profile whose caches are closest to the requested size.
  constexpr std::uint64_t kTinyBytes = std::uint64_t{16} << 20;
  constexpr std::uint64_t kServerBytes = std::uint64_t{256} << 20;
  const std::uint64_t cache = static_cast<std::uint64_t>(config.cacheSize) * options.page_bytes;
  if (cache > 0 && cache <= kTinyBytes) options.memory = MemoryProfile::kTiny;
  if (cache > kServerBytes) options.memory = MemoryProfile::kServer;
  return options;
}

}  // namespace

Result<std::unique_ptr<Database>> OpenNamed(const StoreOptions& options, const NameFile& file,
                                            Bytes password) {
  DatabaseOptions wanted = ToDatabaseOptions(options, file.directory(), password);
  wanted.create_if_missing = false;
  auto opened = Database::Open(wanted);
  if (opened || !opened.error().IsNotFound()) return opened;
  return Status::Corruption(fmt::format(
      "the store's directory {} is missing; bring it back, or remove the file to start afresh",
      file.directory()));
}

Status Store::EnsureOpen() {
  if (!is_suspended()) return CheckOpen();
  auto opened = OpenNamed(options, *file_, password.view());
  const Status resumed = opened ? Resume(*std::move(opened)) : opened.error();
  if (resumed.ok()) return resumed;
  return Status(resumed.code(),
                fmt::format("the store was closed to change its password and could not be opened "
                            "again; the next call tries again: {}",
                            resumed.message()));
}

namespace {

// Programs of this interface expect that a password encrypts a store that was not.
Status EncryptIfPlain(const StoreOptions& options, NameFile& file, Bytes password) {
  if (password.empty()) return {};
  const auto encrypted = IsEncrypted(file.directory());
  if (!encrypted || *encrypted) return {};  // Opening reports errors.
  if (options.read_only) {
    return Status::ReadOnly("the store is not encrypted; open it for writing to encrypt it");
  }
  MAYFLY_RETURN_IF_ERROR(PrepareCopy(file));
  return CompleteCopy(file, {}, password);
}

// Creates a database, and the file that names it. Removes both again on failure.
Result<std::unique_ptr<Database>> MakeNamed(const StoreOptions& options, NameFile& file,
                                            Bytes password) {
  if (options.read_only) {
    return Status::Invalid("there is no store at that path; open it for writing to make one");
  }
  const std::string directory = file.FreshDirectory();
  MAYFLY_TRY(auto made, Database::Open(ToDatabaseOptions(options, directory, password)));
  Status published = file.Publish(directory);
  if (published.ok()) return made;
  made.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  return published;
}

Result<std::shared_ptr<Store>> OpenStore(const char* path, const StoreOptions& options,
                                         Bytes password) {
  if (path == nullptr) {
    MAYFLY_TRY(auto database, Database::Open(ToDatabaseOptions(options, "", "")));
    return std::make_shared<Store>(options, std::nullopt, std::move(database),
                                   crypto::Secret(password));
  }
  if (*path == '\0') return Status::Invalid("the path is empty; null opens a store in memory");
  MAYFLY_TRY(NameFile file, NameFile::Lock(path, options.read_only));
  std::unique_ptr<Database> database;
  if (file.directory().empty()) {
    MAYFLY_TRY(database, MakeNamed(options, file, password));
  } else {
    if (!options.read_only) MAYFLY_RETURN_IF_ERROR(RemoveDoomed(file));
    MAYFLY_RETURN_IF_ERROR(EncryptIfPlain(options, file, password));
    MAYFLY_TRY(database, OpenNamed(options, file, password));
  }
  return std::make_shared<Store>(options, std::move(file), std::move(database),
                                 crypto::Secret(password));
}

// Opens the store; while it is Busy, tries again until the busy timeout.
Result<std::shared_ptr<Store>> OpenStorePatiently(const char* path, const StoreOptions& options,
                                                  Bytes password) {
  const Clock& clock = ClockOfStores();
  const SteadyTime end = clock.Steady() + options.busy_timeout;
  for (;;) {
    auto opened = OpenStore(path, options, password);
    if (opened || opened.error().code() != StatusCode::kBusy || clock.Steady() >= end) {
      return opened;
    }
    Waker().WaitFor(kBusyPause);
  }
}

Status OpenHandle(const char* path, const KVStoreConfig* config, Bytes password, KVStore** handle) {
  StoreOptions options;
  if (config != nullptr) {
    MAYFLY_TRY(options, ToOptions(*config));
  }
  MAYFLY_TRY(auto store, OpenStorePatiently(path, options, password));
  MAYFLY_TRY(auto keyspace, store->database->OpenKeyspace("default"));
  auto family = store->FamilyOf(std::move(keyspace));
  *handle = new KVStore{{std::move(store), std::move(family)}};
  return {};
}

}  // namespace
}  // namespace mayfly::kvstore

using namespace mayfly;  // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::kvstore;  // NOLINT(google-build-using-namespace)

int kvstore_open(const char* path, KVStore** ppKV, int journalMode) {
  KVStoreConfig config{};
  config.journalMode = journalMode;
  config.syncLevel = KVSTORE_SYNC_NORMAL;
  return kvstore_open_v2(path, ppKV, &config);
}

int kvstore_open_v2(const char* path, KVStore** ppKV, const KVStoreConfig* pConfig) {
  return kvstore::Guard(nullptr, [&]() -> Status {
    if (ppKV == nullptr) return NullPlace();
    *ppKV = nullptr;
    return OpenHandle(path, pConfig, {}, ppKV);
  });
}

int kvstore_open_encrypted(const char* path, const void* pPassword, int nPassword, KVStore** ppKV,
                           const KVStoreConfig* pConfig) {
  return kvstore::Guard(nullptr, [&]() -> Status {
    if (ppKV == nullptr) return NullPlace();
    *ppKV = nullptr;
    Bytes password;
    MAYFLY_RETURN_IF_ERROR(TakePassword(pPassword, nPassword, password));
    return OpenHandle(path, pConfig, password, ppKV);
  });
}

int kvstore_close(KVStore* pKV) {
  if (pKV == nullptr) return Fail(nullptr, KVSTORE_ERROR, "the handle is null");
  const int code = kvstore::Guard(nullptr, [&] { return pKV->store->Close(); });
  delete pKV;
  return code;
}

int64_t kvstore_now_ms() { return ToMs(ClockOfStores().Now()); }
