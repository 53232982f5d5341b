// SPDX-License-Identifier: Apache-2.0
#include "socket_names.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace vef::shim {
namespace {

std::string name_of(int file) {
  char text[256] = "unset";
  name_socket(file, text, sizeof text);
  return text;
}

/// The ends of a connection over the loopback: one that listened, of `family`, and one of IPv4 that called.
struct Pair {
  explicit Pair(int family) {
    const int listening = socket(family, SOCK_STREAM, 0);
    sockaddr_in6 address{};
    socklen_t size = sizeof address;
    if (family == AF_INET6) {
      const int off = 0;
      setsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
      address.sin6_family = AF_INET6;
    } else {
      reinterpret_cast<sockaddr_in&>(address).sin_family = AF_INET;
    }
    connected = listening >= 0 &&
                bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
                listen(listening, 1) == 0 &&
                getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    port = ntohs(address.sin6_port);  // at the same place as sin_port
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = address.sin6_port;
    caller = socket(AF_INET, SOCK_STREAM, 0);
    connected = connected && connect(caller, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    if (connected) called = accept(listening, nullptr, nullptr);
    close(listening);
  }
  ~Pair() {
    close(caller);
    close(called);
  }
  int caller = -1;
  int called = -1;
  unsigned port = 0;
  bool connected = false;
};

TEST(SocketNamesTest, EachEndNamesTheOther) {
  for (const int family : {AF_INET, AF_INET6}) {
    const Pair pair(family);
    if (!pair.connected) GTEST_SKIP() << "no loopback of this family";
    const std::string caller = name_of(pair.caller);
    const std::string called = name_of(pair.called);
    const std::string listened = "127.0.0.1:" + std::to_string(pair.port);
    const std::size_t blank = caller.find(' ');
    ASSERT_NE(blank, std::string::npos);
    EXPECT_EQ(caller.substr(blank + 1), listened);
    EXPECT_EQ(called, listened + " " + caller.substr(0, blank));
  }
}

TEST(SocketNamesTest, WhatHasNoAddressHasNoName) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  errno = 7;
  EXPECT_EQ(name_of(ends[0]), "");
  EXPECT_EQ(name_of(-1), "");
  EXPECT_EQ(errno, 7);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace vef::shim
