// SPDX-License-Identifier: Apache-2.0
// A collective operation ready to be expanded for its ranks, whatever the expansion: what depends on the
// operation alone is worked out once.
#pragma once

#include <string_view>

#include "coll/prepared.h"
#include "vef/tracelib/collectives.h"

namespace vef::tracelib {

class PreparedCall {
 public:
  /// The spans of `call` must stay valid until the last expand().
  void reset(const CollectiveCall& call, Expansion expansion);
  void expand(std::int32_t rank, Schedule& out) const;
  std::string_view algorithm() const;

 private:
  CollectiveCall call_;
  Expansion expansion_ = Expansion::kN;
  coll::Prepared prepared_;  // the library expansions
};

}  // namespace vef::tracelib
