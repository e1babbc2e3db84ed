// store_of.h - finds the store behind a database.
#pragma once

#include "core/store/store.h"
#include "mayfly/database.h"

namespace mayfly::core {

// Implemented by databases that have a store, so that lower layers need not know their class.
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

// As FindStore(), for a database that NewDatabase() made. Throws std::bad_cast for any other.
inline Store& StoreOf(Database& database) { return dynamic_cast<StoreHolder&>(database).store(); }

}  // namespace mayfly::core
