"""A simple greedy LZO1X compressor for recipes.

docs/formats/mrea.md describes the instructions. Inputs are segments of at most 16 KiB, so every distance fits one of
the two shorter match forms."""
import functools

END = b"\x11\0\0"
NEAR, FAR = 0x800, 0x4000  # largest distances of the two match forms
TRIES = 32  # earlier places to compare


def extended(length, most):
    """Extra length bytes after an instruction whose length field is 0; the field holds at most `most`."""
    zeros, last = divmod(length - most - 1, 255)
    return bytes(zeros) + bytes([last + 1])


def literal_run(literals, first):
    n = len(literals)
    if first and n <= 238:
        return bytes([17 + n]) + literals
    return (bytes([n - 3]) if n <= 18 else b"\0" + extended(n - 3, 15)) + literals


def match(length, distance, trailing):
    """A match instruction. trailing: number of literals after it, 0 to 3."""
    if distance <= NEAR and length <= 8:
        low, high = (distance - 1) & 7, (distance - 1) >> 3
        kind = 0x40 | (length - 3) << 5 if length <= 4 else 0x80 | (length - 5) << 5
        return bytes([kind | low << 2 | trailing, high])
    head = bytes([0x20 | length - 2]) if length <= 33 else b"\x20" + extended(length - 2, 31)
    return head + ((distance - 1) << 2 | trailing).to_bytes(2, "little")


def matches(data):
    """Yields (literals, length, distance); the last has length 0."""
    seen, start, at = {}, 0, 0
    while at + 3 <= len(data):
        best, distance = 0, 0
        for earlier in reversed(seen.get(data[at:at + 3], [])[-TRIES:]):
            length = 3
            while at + length < len(data) and data[earlier + length] == data[at + length]:
                length += 1
            if at - earlier <= FAR and length > best:
                best, distance = length, at - earlier
        for i in range(at, at + max(best, 1)):
            seen.setdefault(data[i:i + 3], []).append(i)
        if best:
            yield data[start:at], best, distance
            start = at + best
        at += max(best, 1)
    yield data[start:], 0, 0


@functools.lru_cache(maxsize=None)
def compress(data):
    """Compresses bytes. Cached, because many recipes use the same bytes."""
    out, pending = bytearray(), None  # a match that waits for the literals after it
    for literals, length, distance in matches(data):
        trailing = len(literals) if pending and len(literals) <= 3 else 0
        if pending:
            out += match(*pending, trailing)
        if trailing:
            out += literals
        elif literals:
            out += literal_run(literals, not out)
        pending = (length, distance) if length else None
    return bytes(out) + END
