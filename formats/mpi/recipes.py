# SPDX-License-Identifier: Apache-2.0
"""What the words and recipes of functions.tbl become in the recorder's wrappers."""
import re
import sys

# The handles that functions take by value; the wrappers pass them on as machine words.
HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Op", "MPI_Info", "MPI_Group", "MPI_Request", "MPI_File",
           "MPI_Win", "MPI_Errhandler")

# Recipes that decide by themselves whether the call is the program's own.
SELF_GUARDED = ("type_free", "init", "finalize", "session_init", "abort", "pcontrol")

# What the functions of a family have in common is handed to their recipe in one object, by these words.
COLLECTIVE_WORDS = ("comm", "root", "sbuf", "rbuf", "count", "type", "scount", "stype", "rcount", "rtype", "scounts",
                    "rcounts", "stypes", "rtypes")
RMA_WORDS = ("win", "target", "scount", "stype", "rcount", "rtype", "type", "op")

SENT = "Posted{.comm = {comm}, .peer = dest, .tag = tag, .count = count, .type = {type}}"
WANTED = "Posted{.comm = {comm}, .peer = source, .tag = tag, .count = count, .type = {type}}"
PROBED = "Posted{.comm = {comm}, .peer = source, .tag = tag, .count = 0, .type = mpi.byte}"
SENT_OF_TWO = "Posted{.comm = {comm}, .peer = dest, .tag = stag, .count = scount, .type = {stype}}"
WANTED_OF_TWO = "Posted{.comm = {comm}, .peer = source, .tag = rtag, .count = rcount, .type = {rtype}}"
SENT_REPLACED = "Posted{.comm = {comm}, .peer = dest, .tag = stag, .count = count, .type = {type}}"
WANTED_REPLACED = "Posted{.comm = {comm}, .peer = source, .tag = rtag, .count = count, .type = {type}}"

PARTITIONS_SENT = "Posted{.comm = {comm}, .peer = dest, .tag = tag, .count = pcount, .type = {type}}"
PARTITIONS_WANTED = "Posted{.comm = {comm}, .peer = source, .tag = tag, .count = pcount, .type = {type}}"

# Recipe -> the call of its function template (recipes.h) and what the page of functions says of it. {call} is the number
# of the MPI call, {word} the value of a parameter as its MPI type, {arguments} the words of its family.
RECIPES = {
    "type_free": (
        "type_free(real)",
        "passed on; a data type that is used later under the same handle is measured anew"),
    "init": ("init({call}, real)", "`kInit`: recording begins"),
    "finalize": ("finalize({call}, real)", "`kFinalize`: recording ends when MPI is used no more"),
    "abort": ("abort({call}, code, real)", "`kAbort` with the error code, before the call"),
    "pcontrol": ("pcontrol(code, name, real)", "steers the recorder; `kRegion` for regions"),
    "send": ("send({call}, " + SENT + ", real)", "`kSend`"),
    "recv": ("recv({call}, " + WANTED + ", status, real)", "`kRecv` with what came"),
    "sendrecv": ("sendrecv({call}, " + SENT_OF_TWO + ", " + WANTED_OF_TWO + ", status, real)", "`kSendrecv`"),
    "sendrecv_replace": (
        "sendrecv({call}, " + SENT_REPLACED + ", " + WANTED_REPLACED + ", status, real)",
        "`kSendrecv`"),
    "isend": ("isend({call}, " + SENT + ", request, real)", "`kIsend`"),
    "irecv": ("irecv({call}, " + WANTED + ", request, real)", "`kIrecv`"),
    "isendrecv": (
        "isendrecv({call}, " + SENT_OF_TWO + ", " + WANTED_OF_TWO + ", request, real)",
        "`kIsend` and `kIrecv`, which complete together"),
    "isendrecv_replace": (
        "isendrecv({call}, " + SENT_REPLACED + ", " + WANTED_REPLACED + ", request, real)",
        "`kIsend` and `kIrecv`, which complete together"),
    "send_init": ("send_init({call}, " + SENT + ", request, real)", "`kSendInit`"),
    "recv_init": ("recv_init({call}, " + WANTED + ", request, real)", "`kRecvInit`"),
    "start": ("start_all({call}, 1, request, real)", "`kStart`"),
    "startall": ("start_all({call}, n, requests, real)", "`kStart`"),
    "probe": ("probe({call}, " + PROBED + ", status, real)", "`kProbe` with what was found"),
    "iprobe": (
        "iprobe({call}, " + PROBED + ", flag, status, real)",
        "`kProbe` if something was found, else folded into `kPolls`"),
    "mprobe": ("mprobe({call}, " + PROBED + ", nullptr, message, status, real)", "`kMprobe`"),
    "improbe": (
        "mprobe({call}, " + PROBED + ", flag, message, status, real)",
        "`kMprobe` if something was found, else folded into `kPolls`"),
    "mrecv": ("mrecv({call}, count, {type}, message, status, real)", "`kMrecv`"),
    "imrecv": ("imrecv({call}, count, {type}, message, request, real)", "`kImrecv`"),
    "wait": ("wait({call}, request, status, real)", "`kComplete`"),
    "waitall": ("complete_all({call}, n, requests, nullptr, statuses, real)", "`kComplete`"),
    "waitany": ("complete_any({call}, n, requests, index, nullptr, status, real)", "`kComplete`"),
    "waitsome": ("complete_some({call}, n, requests, outcount, indices, statuses, real)", "`kComplete`"),
    "test": ("test({call}, request, flag, status, real)", "`kComplete`, or folded into `kPolls`"),
    "testall": ("complete_all({call}, n, requests, flag, statuses, real)", "`kComplete`, or folded into `kPolls`"),
    "testany": ("complete_any({call}, n, requests, index, flag, status, real)", "`kComplete`, or folded into `kPolls`"),
    "testsome": (
        "complete_some({call}, n, requests, outcount, indices, statuses, real)",
        "`kComplete`, or folded into `kPolls`"),
    "request_get_status": (
        "request_get_status({call}, {handle}, flag, status, real)",
        "`kComplete` when it first finds the request complete, else folded into `kPolls`"),
    "request_free": ("request_free({call}, request, real)", "`kRequestFree` if the request is active"),
    "cancel": ("cancel({call}, request, real)", "`kCancel`"),
    "comm_new": ("comm_new({call}, {comm}, newcomm, real)", "`kCommCreate`"),
    "comm_new_group": ("comm_new_group({call}, {comm}, tag, newcomm, real)", "`kCommCreate`, collective over the new group"),
    "comm_idup": ("comm_idup({call}, {comm}, newcomm, request, real)", "`kCommCreate`"),
    "comm_free": ("comm_free({call}, commp, real)", "`kCommFree`"),
    "session_init": ("session_init({call}, session, real)", "`kInit` if it is the first use of MPI, else its time"),
    "psend_init": (
        "partitioned_init({call}, EventKind::kPsendInit, parts, " + PARTITIONS_SENT + ", request, real)",
        "`kPsendInit`"),
    "precv_init": (
        "partitioned_init({call}, EventKind::kPrecvInit, parts, " + PARTITIONS_WANTED + ", request, real)",
        "`kPrecvInit`"),
    "pready_one": ("pready({call}, 1, {handle}, real)", "`kPready` with the bytes of the partition"),
    "pready_range": ("pready({call}, part_2 - part + 1, {handle}, real)", "`kPready` with the bytes of the partitions"),
    "pready_list": ("pready({call}, n, {handle}, real)", "`kPready` with the bytes of the partitions"),
    "parrived": ("parrived({call}, flag, real)", "its time, or folded into `kPolls`"),
    "timed": ("timed({call}, real)", "its time: `kComplete` without completions"),
    "coll": ("collective({call}, {arguments}, real)", "`kCollective`"),
    "icoll": ("icollective({call}, {arguments}, request, real)", "`kIcollective`"),
    "pcoll": ("collective_init({call}, {arguments}, request, real)", "`kCollectiveInit`; each `MPI_Start` begins one"),
    "comm_from_group": (
        "comm_from_group({call}, text, newcomm, real)",
        "`kCommCreate` without a parent, with the string tag"),
    "comm_spawn": (
        "comm_spawn({call}, {comm}, root, 1, &text, &int_1, newcomm, real)",
        "`kCommCreate`, at the root with the command and the number of processes"),
    "comm_spawn_multiple": (
        "comm_spawn({call}, {comm}, root, int_1, texts, cintp, newcomm, real)",
        "`kCommCreate`, at the root with the commands and the number of processes"),
    "comm_port": (
        "comm_port({call}, {comm}, root, text, newcomm, real)",
        "`kCommCreate`, at the root with the port"),
    "comm_join": (
        "comm_join({call}, int_1, newcomm, real)",
        "`kCommCreate` over `MPI_COMM_SELF`, with the socket's addresses"),
    "comm_parent": ("comm_parent({call}, newcomm, real)", "`kCommDefine` when it first shows the parents"),
    "win_create": ("win_create({call}, size, {comm}, winp, real)", "`kWinCreate`"),
    "win_create_dynamic": ("win_create({call}, 0, {comm}, winp, real)", "`kWinCreate` of 0 bytes"),
    "win_free": ("win_free({call}, winp, real)", "`kWinFree`"),
    "rma": ("rma({call}, {arguments}, nullptr, real)", "`kRma`"),
    "rma_request": ("rma({call}, {arguments}, request, real)", "`kRma` with a request"),
    "win_sync_all": ("win_sync({call}, {win}, MPI_UNDEFINED, real)", "`kRmaSync`"),
    "win_sync_target": ("win_sync({call}, {win}, target, real)", "`kRmaSync` with the target"),
    "win_sync_group": ("win_sync_group({call}, {win}, {group}, real)", "`kRmaSync` with the group"),
    "win_test": ("win_test({call}, {win}, flag, real)", "`kRmaSync`, or folded into `kPolls`"),
    "io": ("io({call}, 0, mpi.byte, nullptr, real)", "`kIo`: its time"),
    "io_count": ("io({call}, count, {type}, nullptr, real)", "`kIo` with the bytes that were asked for"),
    "io_request": (
        "io({call}, count, {type}, request, real)",
        "`kIo` with the bytes that were asked for, and a request"),
    "io_answered": ("io_answered({call}, count, {type}, status, real)", "`kIo` with the bytes that were moved"),
}


def camel(name):
    return "k" + "".join(part.capitalize() for part in name.split("_"))


def exported_type(ctype):
    return "Word" if ctype in HANDLES else ctype


def value_of(param):
    return f"from_word<{param.ctype}>({param.name})" if param.ctype in HANDLES else param.name


def guards_itself(function):
    return function.recipe in SELF_GUARDED


def reads_status(function):
    """Whether the recipe reads the status; then the library gets one that can be read."""
    return re.search(r"\bstatus(es)?\b", RECIPES[recipe_name(function)][0]) is not None


def recipe_name(function):
    name = function.recipe.partition(":")[0]
    return name if name in RECIPES else function.recipe.replace(":", "_")


def check_recipes(functions, path):
    for function in functions:
        if recipe_name(function) not in RECIPES:
            sys.exit(f"{path}: {function.name}: found the recipe {function.recipe!r}; expected one of recipes.py")


def family_arguments(function, values):
    family, _, shape = function.recipe.partition(":")
    words, kind = (RMA_WORDS, "Rma") if family.startswith("rma") else (COLLECTIVE_WORDS, "Collective")
    fields = [f".shape = {'RmaShape' if kind == 'Rma' else 'Shape'}::{camel(shape)}"]
    fields += [f".{word} = {values[word]}" for word in words if word in values]
    return f"{kind}Arguments{{{', '.join(fields)}}}"


def recipe_call(function):
    text = RECIPES[recipe_name(function)][0].replace("{call}", f"MpiCall::{function.enumerator}")
    values = {p.name: value_of(p) for p in function.params}
    if "{arguments}" in text:
        text = text.replace("{arguments}", family_arguments(function, values))
    for word, value in values.items():
        text = text.replace("{" + word + "}", value)
    return text
