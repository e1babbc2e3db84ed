// addresses.h - where core's rows are in the engine: one address for each role.
#pragma once

#include "engine/address.h"

namespace mayfly::core {

inline constexpr engine::Address kRows{engine::Role::kRows};
inline constexpr engine::Address kMembers{engine::Role::kMembers};
inline constexpr engine::Address kExpiry{engine::Role::kExpiry};
inline constexpr engine::Address kEvents{engine::Role::kEvents};
inline constexpr engine::Address kMeta{engine::Role::kMeta};

}  // namespace mayfly::core
