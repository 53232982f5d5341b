// SPDX-License-Identifier: Apache-2.0
// Which collective an MPI function is, from its name: MPI_Bcast, MPI_Ibcast, MPI_Bcast_c, MPI_Bcast_init are
// one.
#pragma once

#include <cstdint>
#include <string_view>

#include "model.h"

namespace vef::merge {

/// kNamedBarrier for a function that is no collective of data.
Family family_of_name(std::string_view mpi_function);
/// The same by number (formats::MpiCall).
Family family_of(std::uint16_t call);
bool is_rooted(Family family);

}  // namespace vef::merge
