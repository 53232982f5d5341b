// SPDX-License-Identifier: Apache-2.0
#include "socket_names.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>

namespace vef::shim {

namespace {

constexpr std::size_t kLongest = INET6_ADDRSTRLEN + 8;  // address, colon, port

bool name_address(const sockaddr_storage& address, char* text) {
  char host[INET6_ADDRSTRLEN] = "";
  in_port_t port = 0;
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    port = v4.sin_port;
    inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    port = v6.sin6_port;
    // The other end of a mapped address may be a plain one.
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
      inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], host, sizeof host);
    } else {
      inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    }
  }
  std::snprintf(text, kLongest, "%s:%u", host, static_cast<unsigned>(ntohs(port)));
  return *host != '\0';
}

}  // namespace

void name_socket(int file, char* text, std::size_t size) {
  const int saved = errno;
  sockaddr_storage own{};
  sockaddr_storage peer{};
  socklen_t own_size = sizeof own;
  socklen_t peer_size = sizeof peer;
  char own_name[kLongest];
  char peer_name[kLongest];
  *text = '\0';
  if (getsockname(file, reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
      getpeername(file, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0 && name_address(own, own_name) &&
      name_address(peer, peer_name)) {
    std::snprintf(text, size, "%s %s", own_name, peer_name);
  }
  errno = saved;
}

}  // namespace vef::shim
