// SPDX-License-Identifier: Apache-2.0
#include "families.h"

#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "vef/formats/mpi_call.h"

namespace vef::merge {

namespace {

constexpr std::array<std::pair<std::string_view, Family>, 17> kNames = {{
    {"bcast", Family::kBroadcast},
    {"reduce", Family::kReduce},
    {"allreduce", Family::kAllreduce},
    {"gather", Family::kGather},
    {"gatherv", Family::kGatherv},
    {"scatter", Family::kScatter},
    {"scatterv", Family::kScatterv},
    {"allgather", Family::kAllgather},
    {"allgatherv", Family::kAllgatherv},
    {"barrier", Family::kBarrier},
    {"alltoall", Family::kAlltoall},
    {"alltoallv", Family::kAlltoallv},
    {"alltoallw", Family::kAlltoallw},
    {"reduce_scatter", Family::kReduceScatter},
    {"reduce_scatter_block", Family::kReduceScatter},
    {"scan", Family::kScan},
    {"exscan", Family::kExscan},
}};

void drop_suffix(std::string_view& name, std::string_view suffix) {
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
}

/// "MPI_Ireduce_scatter_block_c" -> "reduce_scatter_block".
std::string base_name(std::string_view name) {
  if (!name.starts_with("MPI_") && !name.starts_with("MPIX_")) return {};
  name.remove_prefix(name.find('_') + 1);
  drop_suffix(name, "_c");
  drop_suffix(name, "_init");
  if (name.size() > 1 && name[0] == 'I' && std::islower(static_cast<unsigned char>(name[1])) != 0) {
    name.remove_prefix(1);
  }
  std::string base(name);
  if (!base.empty()) base[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(base[0])));
  return base;
}

}  // namespace

Family family_of_name(std::string_view mpi_function) {
  const std::string base = base_name(mpi_function);
  if (base.starts_with("neighbor_allgather")) return Family::kNeighborAllgather;
  if (base.starts_with("neighbor_")) return Family::kNeighborAlltoall;
  for (const auto& [name, family] : kNames) {
    if (name == base) return family;
  }
  return Family::kNamedBarrier;
}

Family family_of(std::uint16_t call) { return family_of_name(formats::find_mpi_call_name(call)); }

bool is_rooted(Family family) {
  switch (family) {
    case Family::kBroadcast:
    case Family::kReduce:
    case Family::kGather:
    case Family::kGatherv:
    case Family::kScatter:
    case Family::kScatterv:
      return true;
    default:
      return false;
  }
}

}  // namespace vef::merge
