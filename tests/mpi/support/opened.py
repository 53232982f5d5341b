# SPDX-License-Identifier: Apache-2.0
# Calls the MPI library named in the argument through ctypes: no call goes by its name.
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
flag = ctypes.c_int(0)
library.MPI_Init(None, None)
library.MPI_Initialized(ctypes.byref(flag))
library.MPI_Finalize()
sys.stdout.write(f"{flag.value}\n")  # in one piece also where Python does not buffer: two ranks write
