#include "server/commands/data_families.h"

#include "server/commands/support/families.h"

namespace mayfly::server {

std::vector<CommandFamily> DataFamilies() {
  return {
      StringFamily(),      BitmapFamily(), KeyFamily(), ObjectFamily(),    ExpiryFamily(),
      HashFamily(),        ListFamily(),   SetFamily(), SortedSetFamily(), StreamFamily(),
      HyperLogLogFamily(), GeoFamily(),    TtlFamily(),
  };
}

}  // namespace mayfly::server
