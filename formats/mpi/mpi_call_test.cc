// SPDX-License-Identifier: Apache-2.0
#include "vef/formats/mpi_call.h"

#include <gtest/gtest.h>

namespace vef::formats {
namespace {

// The numbers stand in files: these must never change.
TEST(MpiCallTest, NumbersAreStable) {
  EXPECT_EQ(static_cast<int>(MpiCall::kInit), 1);
  EXPECT_EQ(static_cast<int>(MpiCall::kSend), 20);
  EXPECT_EQ(static_cast<int>(MpiCall::kSendC), 2020);
  EXPECT_EQ(static_cast<int>(MpiCall::kIrecv), 34);
  EXPECT_EQ(static_cast<int>(MpiCall::kWaitall), 61);
  EXPECT_EQ(static_cast<int>(MpiCall::kAllreduce), 103);
  EXPECT_EQ(static_cast<int>(MpiCall::kReduceScatterBlock), 114);
  EXPECT_EQ(static_cast<int>(MpiCall::kCommSplit), 256);
}

TEST(MpiCallTest, NamesKnownAndUnknownCalls) {
  EXPECT_EQ(mpi_call_name(static_cast<std::uint16_t>(MpiCall::kSend)), "MPI_Send");
  EXPECT_EQ(mpi_call_name(static_cast<std::uint16_t>(MpiCall::kIsendrecvReplaceC)),
            "MPI_Isendrecv_replace_c");
  EXPECT_EQ(mpi_call_name(1999), "MPI call 1999");
  EXPECT_EQ(mpi_call_name(0), "MPI call 0");
  EXPECT_EQ(mpi_call_name(65535), "MPI call 65535");
  EXPECT_EQ(find_mpi_call_name(1999), "");
}

}  // namespace
}  // namespace vef::formats
