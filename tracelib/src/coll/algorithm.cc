// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"

namespace vef::tracelib::coll {

std::string_view algorithm_name(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kNone:
      return "none";
    case Algorithm::kLinear:
      return "linear";
    case Algorithm::kLinearSync:
      return "linear with synchronisation";
    case Algorithm::kPipeline:
      return "pipeline";
    case Algorithm::kBinary:
      return "binary tree";
    case Algorithm::kSplitBinary:
      return "split binary tree";
    case Algorithm::kInOrderBinary:
      return "in-order binary tree";
    case Algorithm::kBinomial:
      return "binomial tree";
    case Algorithm::kKnomial:
      return "4-nomial tree";
    case Algorithm::kScatterAllgather:
      return "scatter and recursive doubling";
    case Algorithm::kScatterRing:
      return "scatter and ring";
    case Algorithm::kRabenseifner:
      return "Rabenseifner";
    case Algorithm::kRecursiveDoubling:
      return "recursive doubling";
    case Algorithm::kRing:
      return "ring";
    case Algorithm::kReduceBroadcast:
      return "reduce and broadcast";
    case Algorithm::kGatherBroadcast:
      return "gather and broadcast";
    case Algorithm::kReduceScatter:
      return "reduce and scatter";
    case Algorithm::kBruck:
      return "Bruck";
    case Algorithm::kNeighborExchange:
      return "neighbour exchange";
    case Algorithm::kTwoProcesses:
      return "two processes";
    case Algorithm::kPairwise:
      return "pairwise exchange";
    case Algorithm::kScattered:
      return "scattered";
    case Algorithm::kDissemination:
      return "dissemination";
    case Algorithm::kTree:
      return "tree";
  }
  return "none";
}

}  // namespace vef::tracelib::coll
