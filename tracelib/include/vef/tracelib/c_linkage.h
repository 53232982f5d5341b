/* SPDX-License-Identifier: Apache-2.0 */
/* What the headers for C say to C++: nothing is thrown. */
#ifndef VEF_TRACELIB_C_LINKAGE_H
#define VEF_TRACELIB_C_LINKAGE_H

#ifdef __cplusplus
#define VEF_NOEXCEPT noexcept
#else
#define VEF_NOEXCEPT
#endif

#endif
