#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every C and C++ source is as clang-format would leave it: check_format.sh CLANG_FORMAT SOURCE_DIR.
set -euo pipefail
cd "$2"
find . \( -name .git -o -name build -o -name node_modules \) -prune -o \
  \( -name '*.cc' -o -name '*.h' -o -name '*.c' \) -print0 | xargs -0 "$1" --dry-run --Werror
