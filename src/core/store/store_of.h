// store_of.h - the store behind a database.
#pragma once

#include "core/store/store.h"
#include "mayfly/database.h"

namespace mayfly::core {

// A database that stands on a store, so that the layers beneath it need not know its class.
class StoreHolder {
 public:
  StoreHolder(const StoreHolder&) = delete;
  StoreHolder& operator=(const StoreHolder&) = delete;

  virtual Store& store() const = 0;

 protected:
  StoreHolder() = default;
  ~StoreHolder() = default;
};

// Null for a database that wraps another.
inline Store* FindStore(Database& database) {
  const auto* const holder = dynamic_cast<const StoreHolder*>(&database);
  return holder == nullptr ? nullptr : &holder->store();
}

// The same for a database that NewDatabase() made; another one is a fault of the caller.
inline Store& StoreOf(Database& database) { return dynamic_cast<StoreHolder&>(database).store(); }

}  // namespace mayfly::core
