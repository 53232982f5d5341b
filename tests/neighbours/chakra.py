#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chakra's traces against protobuf's own library: what `vef convert` writes is decoded and executed here, and what is
encoded here is read by vef: chakra.py VEF DATA WORK"""
import gzip
import heapq
import pathlib
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from checks import Checks

# The part of mlcommons/chakra, schema/protobuf/et_def.proto, that is used here: names, numbers and types.
NUMBERS = {"double": (3, 1), "float": (5, 2), "int32": (7, 5), "int64": (9, 3), "uint32": (11, 13), "uint64": (13, 4),
           "bool": (27, 8), "string": (29, 9)}
MESSAGES = {
    "AttributeProto": [("name", 1, 9, 1), ("doc_string", 2, 9, 1)]
    + [(f"{name}_val", number, kind, 1) for name, (number, kind) in NUMBERS.items()],
    "GlobalMetadata": [("version", 1, 9, 1), ("attr", 2, "AttributeProto", 3)],
    "IOInfo": [("values", 1, 9, 1), ("shapes", 2, 9, 1), ("types", 3, 9, 1)],
    "Node": [("id", 1, 4, 1), ("name", 2, 9, 1), ("type", 3, 13, 1), ("ctrl_deps", 4, 4, 3), ("data_deps", 5, 4, 3),
             ("start_time_micros", 6, 4, 1), ("duration_micros", 7, 4, 1), ("inputs", 8, "IOInfo", 1),
             ("outputs", 9, "IOInfo", 1), ("attr", 10, "AttributeProto", 3)],
}
METADATA, COMP, SEND, RECV, COLL = 1, 4, 5, 6, 7
ALL_REDUCE, REDUCE, ALL_GATHER, GATHER, SCATTER, BROADCAST, ALL_TO_ALL, _, _, BARRIER = range(10)


def schema():
    file = descriptor_pb2.FileDescriptorProto(name="et.proto", package="et", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, label in fields:
            if isinstance(kind, str):
                message.field.add(name=field, number=number, type=11, type_name=f".et.{kind}", label=label)
                continue
            added = message.field.add(name=field, number=number, type=kind, label=label)
            if field.endswith("_val"):
                added.oneof_index = 0
        if name == "AttributeProto":
            message.oneof_decl.add(name="value")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(f"et.{name}"))
            for name in MESSAGES}


ET = schema()


def decode(path):
    data, at, messages = path.read_bytes(), 0, []
    while at < len(data):
        size = shift = 0
        while True:
            byte = data[at]
            at += 1
            size |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        message = ET["Node" if messages else "GlobalMetadata"]()
        if message.ParseFromString(data[at:at + size]) != size or message.SerializeToString() == b"":
            raise SystemExit(f"{path}: {size} bytes at {at} are no message")
        # Fields that the schema does not know would stay in the bytes.
        message.DiscardUnknownFields()
        if message.ByteSize() != size:
            raise SystemExit(f"{path}: the message at {at} has unknown fields")
        messages.append(message)
        at += size
    return messages[0], messages[1:]


def encode(messages):
    out = b""
    for message in messages:
        data = message.SerializeToString()
        size = len(data)
        while size >= 128:
            out += bytes([size & 127 | 128])
            size >>= 7
        out += bytes([size]) + data
    return out


def values(node):
    return {a.name: getattr(a, a.WhichOneof("value")) for a in node.attr}


class Ideal:
    """Executes all ranks on a network without latency; a collective ends for all with its last member."""

    def __init__(self, ranks, members):
        self.nodes = [{node.id: node for node in rank} for rank in ranks]
        self.waits = [{node.id: len(node.data_deps) for node in rank} for rank in ranks]
        self.needed_by = [{} for _ in ranks]
        self.members, self.events, self.end = members, [], 0
        self.sent, self.asked, self.entered, self.count = {}, {}, {}, {}
        self.order = {}  # of a collective's node among those of its group
        for rank, nodes in enumerate(ranks):
            for node in nodes:
                for need in node.data_deps:
                    self.needed_by[rank].setdefault(need, []).append(node.id)
                if node.type == COLL:
                    key = (values(node).get("pg_name", ""), rank)
                    self.order[rank, node.id] = self.count[key] = self.count.get(key, -1) + 1
                if not node.data_deps:
                    heapq.heappush(self.events, (0, rank, node.id, False))

    def begin(self, time, rank, node):
        said = values(node)
        if node.type in (SEND, RECV):
            key = (said["comm_src"], said["comm_dst"], said["comm_tag"])
            mine, other = (self.sent, self.asked) if node.type == SEND else (self.asked, self.sent)
            if said["comm_src" if node.type == SEND else "comm_dst"] != rank or key in mine:
                raise SystemExit(f"rank {rank}, node {node.id}: a wrong or a second {key}")
            mine[key] = (rank, node.id, said["comm_size"])
            if node.type == SEND:
                self.finish(time, rank, node.id)
            if key in other:
                if other[key][2] != said["comm_size"]:
                    raise SystemExit(f"{key}: sizes differ")
                receiver = self.asked[key]
                self.finish(time, receiver[0], receiver[1])
        elif node.type == COLL:
            key = (said.get("pg_name", ""), self.order[rank, node.id])
            parts = self.entered.setdefault(key, [])
            parts.append((rank, node.id))
            if len(parts) == len(self.members(said.get("pg_name", ""))):
                for part in parts:
                    self.finish(time, *part)
        else:
            self.finish(time + said.get("duration_nanos", node.duration_micros * 1000), rank, node.id)

    def finish(self, time, rank, node):
        heapq.heappush(self.events, (time, rank, node, True))

    def run(self):
        while self.events:
            time, rank, node, ends = heapq.heappop(self.events)
            self.end = max(self.end, time)
            if not ends:
                self.begin(time, rank, self.nodes[rank].pop(node))
                continue
            for later in self.needed_by[rank].get(node, []):
                self.waits[rank][later] -= 1
                if self.waits[rank][later] == 0:
                    heapq.heappush(self.events, (time, rank, later, False))
        left = [f"{rank}: {sorted(nodes)[:5]}" for rank, nodes in enumerate(self.nodes) if nodes]
        return self.end, left + [f"not received: {key}" for key in self.sent if key not in self.asked]


def attribute(name, kind, value):
    return ET["AttributeProto"](name=name, **{f"{kind}_val": value})


def own_trace(work, ranks):
    """A ring in groups of two, then an all-reduce of all, twice: in plain files and in compressed ones."""
    for rank in range(ranks):
        right, left = (rank + 1) % ranks, (rank - 1) % ranks
        group = attribute("pg_name", "string", str(1 + rank // 2))

        def node(number, kind, needs=(), micros=0, *attributes, data=True):
            made = ET["Node"](id=number, name=f"n{number}", type=kind, duration_micros=micros, start_time_micros=number)
            (made.data_deps if data else made.ctrl_deps).extend(needs)
            made.attr.extend(attributes)
            made.outputs.values = "[1]"
            return made

        peer = [attribute("comm_src", "int32", rank), attribute("comm_dst", "int32", right), attribute("comm_tag", "int32", 9)]
        back = [attribute("comm_src", "int32", left), attribute("comm_dst", "int32", rank), attribute("comm_tag", "int32", 9)]
        size = attribute("comm_size", "int64", 1000)
        nodes = [
            node(300, COLL, [200], 7, attribute("comm_type", "int64", ALL_REDUCE), attribute("comm_size", "uint64", 1 << 20)),
            node(100, COMP, (), 10 + rank, attribute("is_cpu_op", "bool", False)),
            node(150, SEND, [100], 0, *peer, size, data=False),
            node(160, RECV, [100], 0, *back, size),
            node(200, COLL, [150, 160], 0, attribute("comm_type", "int64", ALL_GATHER), attribute("comm_size", "int64", 512), group),
            node(400, COMP, [300], 5),
        ]
        data = encode([ET["GlobalMetadata"](version="0.0.4", attr=[attribute("schema", "string", "x")])] + nodes)
        (work / f"own.{rank}.et").write_bytes(data)
        (work / f"packed.{rank}.et").write_bytes(gzip.compress(data))


def main():
    vef, data, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    checks = Checks(vef, work)
    expect, result = checks.expect, checks.result

    for original in (data / "small.vef", data / "vef3/ring-4-send-recv-a.vef", data / "vef3/collectives-4.vef"):
        name = original.stem
        checked = result("check", original)
        result("convert", original, work / f"{name}.et")
        ranks = []
        for rank in range(checked["tasks"]):
            metadata, nodes = decode(work / f"{name}.{rank}.et")
            expect(f"{name}: version", metadata.version, "0.0.4")
            expect(f"{name}: ids of rank {rank}", [node.id for node in nodes], list(range(1, len(nodes) + 1)))
            computing = [node for node in nodes if node.type == COMP]
            drift = sum(values(node).get("duration_nanos", node.duration_micros * 1000) - node.duration_micros * 1000
                        for node in computing)
            expect(f"{name}: rounding of rank {rank} adds up", 0 <= drift < 1000, True)
            ranks.append(nodes)
        end, left = Ideal(ranks, lambda group: range(checked["tasks"]) if group == "" else [1, 2]).run()
        expect(f"{name}: nodes that never end", left, [])
        expect(f"{name}: end", end * 1000, checked["ideal_time_ps"])
        sends = [values(node) for nodes in ranks for node in nodes if node.type == SEND]
        expect(f"{name}: messages", len(sends), checked["point_to_point"]["messages"])
        expect(f"{name}: bytes", sum(send["comm_size"] for send in sends), checked["point_to_point"]["bytes"])
        if name == "small":
            lists = [node.inputs.values for nodes in ranks for node in nodes if node.type == METADATA]
            expect("groups", lists, ["['[{\"pg_name\": \"1\", \"ranks\": [1, 2]}]']"] * 2)

    ranks = 6
    own_trace(work, ranks)
    for name in ("own", "packed"):
        checked = result("check", work / f"{name}.2.et", "--expansion", "n")
        expect(f"{name}: passed", checked["passed"], True)
        expect(f"{name}: tasks", checked["tasks"], ranks)
        expect(f"{name}: operations", checked["collective_operations"], ranks // 2 + 1)
        expect(f"{name}: messages", checked["point_to_point"], {"messages": ranks, "bytes": 1000 * ranks})
        # The slowest rank computes 15 us, the all-reduce waits for it, and each computes 5 us then.
        expect(f"{name}: end", checked["ideal_time_ps"], (10 + ranks - 1 + 5) * 10**6)
    expect("format", result("info", work / "own")["format"], "chakra")
    return checks.status("protobuf's library reads what vef writes, and vef what the library writes")


if __name__ == "__main__":
    sys.exit(main())
