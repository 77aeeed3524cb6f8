"""StrCode64, the name hash of Fox Engine files, written from its formulas (docs/formats/grx.md, section 3) and independent of the C code:
seeded CityHash64 of the 1.0.3 line over the name and one NUL, low 48 bits. `strcode64.py NAME...` prints hashes."""
import sys

MASK = (1 << 64) - 1
K0, K1, K2, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
MUL = 0x9DDFEA08EB382D69


def rotate(x, n):
    x &= MASK
    return ((x >> n) | (x << (64 - n))) & MASK if n else x


def mix(x):
    x &= MASK
    return x ^ (x >> 47)


def hash16(u, v):
    p = mix((u ^ v) * MUL)
    q = mix(((v & MASK) ^ p) * MUL)
    return q * MUL & MASK


class Words:
    """Little-endian fetches; negative offsets count from the end."""

    def __init__(self, data):
        self.data = data

    def at(self, offset, size=8):
        offset += len(self.data) if offset < 0 else 0
        return int.from_bytes(self.data[offset:offset + size], "little")


def upto16(s, f, n):
    if n == 0:
        return K2
    if n <= 3:
        y = s[0] + (s[n // 2] << 8)
        z = n + (s[n - 1] << 2)
        return mix(y * K2 ^ z * K3) * K2 & MASK
    if n <= 8:
        return hash16(n + (f.at(0, 4) << 3), f.at(-4, 4))
    b = f.at(-8)
    return hash16(f.at(0), rotate(b + n, n)) ^ b


def upto32(f, n):
    a, b, c, d = f.at(0) * K1, f.at(8), f.at(-8) * K2, f.at(-16) * K0
    return hash16(rotate(a - b, 43) + rotate(c, 30) + d, a + rotate(b ^ K3, 20) - c + n)


def half64(f, a, z, offsets):
    b, c = rotate(a + z, 52), rotate(a, 37)
    a += f.at(offsets[0])
    c += rotate(a, 7)
    a += f.at(offsets[1])
    return a + z, b + rotate(a, 31) + c


def upto64(f, n):
    vf, vs = half64(f, f.at(0) + (n + f.at(-16)) * K0, f.at(24), (8, 16))
    wf, ws = half64(f, f.at(16) + f.at(-32), f.at(-8), (-24, -16))
    r = mix((vf + ws) * K2 + (wf + vs) * K0)
    return mix(r * K0 + vs) * K2 & MASK


def weak32(f, offset, a, b):
    w, x, y, z = (f.at(offset + 8 * i) for i in range(4))
    a += w
    b = rotate(b + a + z, 21)
    c = a
    a += x + y
    b += rotate(a, 44)
    return (a + z) & MASK, (b + c) & MASK


def longer(f, n):
    x = f.at(n - 40)
    y = f.at(n - 16) + f.at(n - 56)
    z = hash16(f.at(n - 48) + n, f.at(n - 24))
    v = weak32(f, n - 64, n, z)
    w = weak32(f, n - 32, y + K1, x)
    x = x * K1 + f.at(0)
    for o in range(0, (n - 1) // 64 * 64, 64):
        x = rotate(x + y + v[0] + f.at(o + 8), 37) * K1
        y = rotate(y + v[1] + f.at(o + 48), 42) * K1
        x ^= w[1]
        y += v[0] + f.at(o + 40)
        z = rotate(z + w[0], 33) * K1
        v = weak32(f, o, v[1] * K1, x + w[0])
        w = weak32(f, o + 32, z + w[1], y + f.at(o + 16))
        x, z = z, x
    return hash16(hash16(v[0], w[0]) + mix(y) * K1 + z, hash16(v[1], w[1]) + x)


def city64(data):
    n, f = len(data), Words(data)
    if n <= 16:
        return upto16(data, f, n)
    if n <= 32:
        return upto32(f, n)
    return upto64(f, n) if n <= 64 else longer(f, n)


def strcode64(name):
    """Hash of a name given as bytes, or as text that is encoded as UTF-8; without its NUL."""
    name = name.encode() if isinstance(name, str) else bytes(name)
    seed1 = (name[0] << 16) + len(name) if name else 0
    return hash16(city64(name + b"\0") - K2, seed1) & 0x0000FFFFFFFFFFFF


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(f"{strcode64(argument):012x}  {argument}")
