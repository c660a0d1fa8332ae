"""Ed25519 verification (RFC 8032) with the standard library only.

Slow (some milliseconds) and good for verification alone, which has no secrets. In production, use a library such as
`cryptography`.
"""

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
SQRT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def _recover_x(y, sign):
    """The x of a point with this y, or None."""
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * SQRT_OF_MINUS_1 % P
    if (x * x - square) % P != 0 or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def _decode_point(text):
    """Extended coordinates (X, Y, Z, T) of 32 bytes, or None."""
    y = int.from_bytes(text, "little")
    sign = y >> 255
    y &= (1 << 255) - 1
    x = _recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def _add(one, two):
    a = (one[1] - one[0]) * (two[1] - two[0]) % P
    b = (one[1] + one[0]) * (two[1] + two[0]) % P
    c = 2 * one[3] * two[3] * D % P
    d = 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _multiply(factor, point):
    result = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            result = _add(result, point)
        point = _add(point, point)
        factor >>= 1
    return result


def _equal(one, two):
    return (one[0] * two[2] - two[0] * one[2]) % P == 0 and (one[1] * two[2] - two[1] * one[2]) % P == 0


BASE_Y = 4 * pow(5, -1, P) % P
BASE_X = _recover_x(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def verify(public_key, message, signature):
    """Whether the 64 bytes of signature are of this message (bytes), by the 32 bytes of public key."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key = _decode_point(public_key)
    commitment = _decode_point(signature[:32])
    response = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or response >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    return _equal(_multiply(response, BASE), _add(commitment, _multiply(challenge, key)))
