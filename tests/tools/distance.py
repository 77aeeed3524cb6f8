"""Edit distance between two files."""
import os


def distance(one, other):
    """Number of bytes to insert and remove (Myers' algorithm), up to 300; otherwise 301."""
    start = len(os.path.commonprefix((one, other)))
    one, other = one[start:], other[start:]
    end = len(os.path.commonprefix((one[::-1], other[::-1])))
    one, other = one[:len(one) - end], other[:len(other) - end]
    reach = {1: 0}
    for edits in range(min(len(one) + len(other), 300) + 1):
        for k in range(-edits, edits + 1, 2):
            x = reach[k + 1] if k == -edits or (k != edits and reach[k - 1] < reach[k + 1]) else reach[k - 1] + 1
            while x < len(one) and x - k < len(other) and one[x] == other[x - k]:
                x += 1
            reach[k] = x
            if x >= len(one) and x - k >= len(other):
                return edits
    return 301
