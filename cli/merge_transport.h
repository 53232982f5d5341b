// SPDX-License-Identifier: Apache-2.0
// vef merge --mpi: finds and starts the plug-in through which the processes of the merge talk.
#pragma once

#include <string>

#include "vef/base/result.h"
#include "vef/merge/transport.h"

namespace vef::cli {

/// `library`: "openmpi", "mpich", or empty: that of the job this process belongs to. To be called once.
Result<const VefMergeTransport*> start_transport(const std::string& library);

}  // namespace vef::cli
