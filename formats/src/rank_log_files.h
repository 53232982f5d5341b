// SPDX-License-Identifier: Apache-2.0
// System calls of the rank log's writer, made safe inside somebody else's process: no call here raises
// SIGXFSZ or leaves work half done silently. All return 0 or an errno value. No state, thread safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vef::formats::rank_log {

/// Creates `path` for reading and writing, mode 0600; fails where it exists or is a symbolic link.
int create_file(const char* path, int& fd) noexcept;

/// Writes all of `data` at `offset`.
int write_all(int fd, const void* data, std::size_t size, std::uint64_t offset) noexcept;

/// Makes the file `size` bytes long with every block reserved, so that storing into a mapping of it cannot
/// run out of space. Where the file system has no fallocate, zeros are written.
int reserve_blocks(int fd, std::size_t size) noexcept;

/// Untranslated text of an errno value.
const char* error_text(int error) noexcept;

}  // namespace vef::formats::rank_log
