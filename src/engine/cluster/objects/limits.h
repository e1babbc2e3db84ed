// limits.h - the bounds of one call of a store of objects.
#pragma once

#include <cstddef>

namespace mayfly::engine::cluster {

// Entries of one page: an OSD returns no more (osd_max_omap_entries_per_request).
inline constexpr std::size_t kMapPageMax = 1024;

// Keys and values of one write of a map. An OSD refuses 90 MB (osd_max_write_size).
inline constexpr std::size_t kMapWriteBytesMax = std::size_t{64} << 20;

// Of an object of plain bytes. Larger ones would be recovered slowly.
inline constexpr std::size_t kPlainObjectBytesMax = std::size_t{8} << 20;

static_assert(kPlainObjectBytesMax <= kMapWriteBytesMax);

}  // namespace mayfly::engine::cluster
