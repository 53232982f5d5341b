# SPDX-License-Identifier: Apache-2.0
"""What the words and recipes of functions.tbl become in the recorder's wrappers."""
import re
import sys

# The handles that functions take by value; the wrappers pass them on as machine words.
HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Op", "MPI_Info", "MPI_Group", "MPI_Request", "MPI_File",
           "MPI_Win", "MPI_Errhandler")

# Recipes that decide by themselves whether the call is the program's own.
SELF_GUARDED = ("guard", "type_free", "init", "finalize", "abort", "pcontrol")

COLLECTIVE_WORDS = ("comm", "root", "sbuf", "rbuf", "count", "type", "scount", "stype", "rcount", "rtype", "scounts",
                    "rcounts", "stypes", "rtypes")

SENT = "Posted{.comm = {comm}, .peer = dest, .tag = tag, .count = count, .type = {type}}"
WANTED = "Posted{.comm = {comm}, .peer = source, .tag = tag, .count = count, .type = {type}}"
PROBED = "Posted{.comm = {comm}, .peer = source, .tag = tag, .count = 0, .type = mpi.byte}"
SENT_OF_TWO = "Posted{.comm = {comm}, .peer = dest, .tag = stag, .count = scount, .type = {stype}}"
WANTED_OF_TWO = "Posted{.comm = {comm}, .peer = source, .tag = rtag, .count = rcount, .type = {rtype}}"
SENT_REPLACED = "Posted{.comm = {comm}, .peer = dest, .tag = stag, .count = count, .type = {type}}"
WANTED_REPLACED = "Posted{.comm = {comm}, .peer = source, .tag = rtag, .count = count, .type = {type}}"

# Recipe -> the call of its function template in recipes.h or completion.h. {call} is the number of the MPI call,
# {word} the value of a parameter as its MPI type.
RECIPES = {
    "guard": "guard(real)",
    "type_free": "type_free(real)",
    "init": "init({call}, real)",
    "finalize": "finalize(real)",
    "abort": "abort({call}, code, real)",
    "pcontrol": "pcontrol(code, real)",
    "send": "send({call}, " + SENT + ", real)",
    "recv": "recv({call}, " + WANTED + ", status, real)",
    "sendrecv": "sendrecv({call}, " + SENT_OF_TWO + ", " + WANTED_OF_TWO + ", status, real)",
    "sendrecv_replace": "sendrecv({call}, " + SENT_REPLACED + ", " + WANTED_REPLACED + ", status, real)",
    "isend": "isend({call}, " + SENT + ", request, real)",
    "irecv": "irecv({call}, " + WANTED + ", request, real)",
    "isendrecv": "isendrecv({call}, " + SENT_OF_TWO + ", " + WANTED_OF_TWO + ", request, real)",
    "isendrecv_replace": "isendrecv({call}, " + SENT_REPLACED + ", " + WANTED_REPLACED + ", request, real)",
    "send_init": "send_init({call}, " + SENT + ", request, real)",
    "recv_init": "recv_init({call}, " + WANTED + ", request, real)",
    "start": "start_all({call}, 1, request, real)",
    "startall": "start_all({call}, n, requests, real)",
    "probe": "probe({call}, " + PROBED + ", status, real)",
    "iprobe": "iprobe({call}, " + PROBED + ", flag, status, real)",
    "mprobe": "mprobe({call}, " + PROBED + ", nullptr, message, status, real)",
    "improbe": "mprobe({call}, " + PROBED + ", flag, message, status, real)",
    "mrecv": "mrecv({call}, count, {type}, message, status, real)",
    "imrecv": "imrecv({call}, count, {type}, message, request, real)",
    "wait": "wait({call}, request, status, real)",
    "waitall": "complete_all({call}, n, requests, nullptr, statuses, real)",
    "waitany": "complete_any({call}, n, requests, index, nullptr, status, real)",
    "waitsome": "complete_some({call}, n, requests, outcount, indices, statuses, real)",
    "test": "test({call}, request, flag, status, real)",
    "testall": "complete_all({call}, n, requests, flag, statuses, real)",
    "testany": "complete_any({call}, n, requests, index, flag, status, real)",
    "testsome": "complete_some({call}, n, requests, outcount, indices, statuses, real)",
    "request_get_status": "request_get_status({call}, {handle}, flag, status, real)",
    "request_free": "request_free({call}, request, real)",
    "cancel": "cancel({call}, request, real)",
    "comm_new": "comm_new({call}, {comm}, newcomm, false, real)",
    "comm_new_group": "comm_new({call}, {comm}, newcomm, true, real)",
    "comm_idup": "comm_idup({call}, {comm}, newcomm, request, real)",
    "comm_free": "comm_free({call}, commp, real)",
    "session_init": "guard(real)",
    "session_finalize": "guard(real)",
    "psend_init": "guard(real)",
    "precv_init": "guard(real)",
    "pready": "guard(real)",
    "parrived": "guard(real)",
    "timed": "guard(real)",
    "comm_from_group": "guard(real)",
    "comm_remote": "guard(real)",
    "comm_port": "guard(real)",
    "comm_join": "guard(real)",
    "comm_parent": "guard(real)",
    "win_create": "guard(real)",
    "win_create_dynamic": "guard(real)",
    "win_free": "guard(real)",
    "rma": "guard(real)",
    "win_sync": "guard(real)",
    "win_test": "guard(real)",
    "io": "guard(real)",
    "pcoll": "guard(real)",
}


def camel(name):
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def exported_type(ctype):
    return "Word" if ctype in HANDLES else ctype


def value_of(param):
    return f"from_word<{param.ctype}>({param.name})" if param.ctype in HANDLES else param.name


def guards_itself(function):
    name = function.recipe.partition(":")[0]
    return name in SELF_GUARDED or RECIPES.get(name) == "guard(real)"


def reads_status(function):
    """Whether the recipe reads the status; then the library gets one that can be read."""
    return re.search(r"\bstatus(es)?\b", RECIPES.get(function.recipe.partition(":")[0], "")) is not None


def recipe_call(function, path):
    name, _, shape = function.recipe.partition(":")
    values = {p.name: value_of(p) for p in function.params}
    if name in ("coll", "icoll"):
        fields = [f".shape = Shape::{camel(shape)}"]
        fields += [f".{word} = {values[word]}" for word in COLLECTIVE_WORDS if word in values]
        template = "collective" if name == "coll" else "icollective"
        request = "request, " if name == "icoll" else ""
        return f"{template}(MpiCall::{function.enumerator}, CollectiveArguments{{{', '.join(fields)}}}, {request}real)"
    if name not in RECIPES:
        sys.exit(f"{path}: {function.name}: found the recipe {function.recipe!r}; expected one of generate.py")
    text = RECIPES[name].replace("{call}", f"MpiCall::{function.enumerator}")
    for word, value in values.items():
        text = text.replace("{" + word + "}", value)
    return text
