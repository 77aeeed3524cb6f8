#!/usr/bin/env python3
"""StrCode64, the 48-bit string hash of Fox Engine files. Written from the formulas of the format description,
independently of the C code, so that each tests the other.

    strcode64.py            checks the published vectors
    strcode64.py TEXT...    prints the hash of each text"""
import functools
import sys

MASK = (1 << 64) - 1
K0, K1, K2, K3 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
MIX = 0x9DDFEA08EB382D69


def f64(s, at):
    return int.from_bytes(s[at:at + 8], "little")


def f32(s, at):
    return int.from_bytes(s[at:at + 4], "little")


def ror(x, n):
    x &= MASK
    return (x >> n | x << (64 - n)) & MASK


def fold(x):
    x &= MASK
    return x ^ x >> 47


def h16(u, v):
    p = fold((u ^ v) * MIX)
    q = fold((v ^ p) * MIX)
    return q * MIX & MASK


def up_to_16(s):
    n = len(s)
    if n == 0:
        return K2
    if n <= 3:
        y = s[0] + 256 * s[n // 2]
        z = n + 4 * s[n - 1]
        return fold(y * K2 ^ z * K3) * K2 & MASK
    if n <= 8:
        return h16(n + 8 * f32(s, 0), f32(s, n - 4))
    b = f64(s, n - 8)
    return h16(f64(s, 0), ror(b + n, n)) ^ b


def up_to_32(s):
    n = len(s)
    a, b, c, d = f64(s, 0) * K1 & MASK, f64(s, 8), f64(s, n - 8) * K2 & MASK, f64(s, n - 16) * K0
    return h16((ror(a - b, 43) + ror(c, 30) + d) & MASK, (a + ror(b ^ K3, 20) - c + n) & MASK)


def half_of_64(s, first, middle, last, z):
    """One of the two passes over a text of 33 to 64 bytes. Returns the pair (f, s)."""
    a = first & MASK
    b, c = ror(a + z, 52), ror(a, 37)
    a = (a + middle) & MASK
    c += ror(a, 7)
    a = (a + last) & MASK
    return (a + z) & MASK, (b + ror(a, 31) + c) & MASK


def up_to_64(s):
    n = len(s)
    vf, vs = half_of_64(s, f64(s, 0) + (n + f64(s, n - 16)) * K0, f64(s, 8), f64(s, 16), f64(s, 24))
    wf, ws = half_of_64(s, f64(s, 16) + f64(s, n - 32), f64(s, n - 24), f64(s, n - 16), f64(s, n - 8))
    r = fold((vf + ws) * K2 + (wf + vs) * K0)
    return fold(r * K0 + vs) * K2 & MASK


def weak(s, at, a, b):
    w, x, y, z = (f64(s, at + 8 * i) for i in range(4))
    a = (a + w) & MASK
    b = ror(b + a + z, 21)
    c = a
    a = (a + x + y) & MASK
    b += ror(a, 44)
    return (a + z) & MASK, (b + c) & MASK


def longer(s):
    n = len(s)
    x = f64(s, n - 40)
    y = (f64(s, n - 16) + f64(s, n - 56)) & MASK
    z = h16((f64(s, n - 48) + n) & MASK, f64(s, n - 24))
    v = weak(s, n - 64, n, z)
    w = weak(s, n - 32, (y + K1) & MASK, x)
    x = (x * K1 + f64(s, 0)) & MASK
    for o in range(0, (n - 1) // 64 * 64, 64):
        x = ror(x + y + v[0] + f64(s, o + 8), 37) * K1 & MASK
        y = ror(y + v[1] + f64(s, o + 48), 42) * K1 & MASK
        x ^= w[1]
        y = (y + v[0] + f64(s, o + 40)) & MASK
        z = ror(z + w[0], 33) * K1 & MASK
        v = weak(s, o, v[1] * K1, x + w[0])
        w = weak(s, o + 32, z + w[1], y + f64(s, o + 16))
        x, z = z, x
    return h16((h16(v[0], w[0]) + fold(y) * K1 + z) & MASK, (h16(v[1], w[1]) + x) & MASK)


def city64(s):
    """CityHash64 of the 1.0.x versions."""
    n = len(s)
    return up_to_16(s) if n <= 16 else up_to_32(s) if n <= 32 else up_to_64(s) if n <= 64 else longer(s)


def seeded(name):
    seed1 = (name[0] << 16) + len(name) if name else 0
    return h16((city64(name + b"\0") - K2) & MASK, seed1)


@functools.lru_cache(maxsize=None)
def known(name):
    return seeded(name) & 0xFFFFFFFFFFFF


def strcode64(name):
    """The hash of a name, given as bytes without NUL."""
    return known(bytes(name))


# text, City64 with the NUL, seeded 64-bit value
VECTORS = [
    (b"", 0x085F654E398E757C, 0x6C45B8A0BF169F98),
    (b"a", 0x8235F11B36620B8C, 0xC889B220B9BC34D5),
    (b"LP_0038", 0x24BD07EA6BBBD3E5, 0x29BB728F9B2C769B),
    (b"PointLight0000", 0xB1D5497260DF74E1, 0xA8B9A47F209ED8D8),
    (b"LP_auto_0000", 0xFBBE636C4C160765, 0x8A6D8601892F2C24),
    (b"FireSpotLight0002", 0x133937E56157C9EF, 0x41210E2A2BA28B21),
    (b"mafr_hous005_0001|LP_mafr_hous005_0003", 0x5D99468AF1083519, 0x978A60989A09D8DE),
    (b"/Assets/ssd/level/mission/debug/common/robby_asset.fox2", 0x8294D10AE9B99203, 0x8A9971870524FA66),
    (b"/Assets/ssd/level/location/ssav/block_small/144/144_128/ssav_144_128_light.fox2", 0xE73D16FF52168793,
     0xE88D4B20745922D3),
    (b"0123456789" * 15, 0x5F7B3F4A6778467F, 0x966E12E0C510B222),
]


def main(texts):
    for text in texts:
        print("%012X  %s" % (strcode64(text.encode()), text))
    if texts:
        return 0
    wrong = 0
    for text, city, full in VECTORS:
        if city64(text + b"\0") != city or seeded(text) != full or strcode64(text) != full & 0xFFFFFFFFFFFF:
            print("wrong: %r: city64 %016X, seeded %016X" % (text, city64(text + b"\0"), seeded(text)))
            wrong += 1
    print("%d of %d vectors hold" % (len(VECTORS) - wrong, len(VECTORS)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
