// SPDX-License-Identifier: Apache-2.0
// -fvisibility=hidden says nothing of declarations: to what is only declared, the compiler goes through the
// global offset table unless it is told that it is the library's own.
#pragma once

#define VEF_HIDDEN [[gnu::visibility("hidden")]]
