/* SPDX-License-Identifier: Apache-2.0 */
/* For C programs that are measured. */
#ifndef VEF_TESTS_SUPPORT_PEAK_MEMORY_H
#define VEF_TESTS_SUPPORT_PEAK_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* KiB that this program had in memory at most, 0 if not known. getrusage() would not do: its ru_maxrss also
 * counts the process from which the program was started, before exec. */
static inline long peak_memory_kib(void) {
  FILE* file = fopen("/proc/self/status", "r");
  char line[256];
  long peak = 0;
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, "VmHWM:", 6) == 0) peak = strtol(line + 6, NULL, 10);
  if (file != NULL) fclose(file);
  return peak;
}

#endif
