"""Verifies the token of a lifecycle call: docs/protocol.md, "Token of a lifecycle call"."""

import base64
import json
import re
import threading
import time
import urllib.request

import ed25519

CLOCK_TOLERANCE = 30
REFETCH_SECONDS = 5


class KeysUnavailable(Exception):
    """The key set could not be fetched: respond with 503."""


class TokenVerifier:
    def __init__(self, platform_api_base, plugin_id):
        self.issuer = platform_api_base
        self.address = platform_api_base.rstrip("/") + "/bundle-runtime/api/.well-known/jwks.json"
        self.plugin_id = plugin_id
        self.keys = {}
        self.fetched_at = 0.0
        self.lock = threading.Lock()

    def claims(self, authorization):
        """The claims of a valid token, else None. Which call it is for is checked by `matches`."""
        scheme, _, token = (authorization or "").partition(" ")
        parts = token.split(".")
        if scheme.lower() != "bearer" or len(parts) != 3:
            return None
        try:
            header, claims = (json.loads(decode(part)) for part in parts[:2])
            signature = decode(parts[2])
        except (ValueError, RecursionError):
            return None
        if not isinstance(header, dict) or not isinstance(claims, dict) or header.get("alg") != "EdDSA":
            return None
        # nothing critical is known here, and a kid of another type is in no key set
        if "crit" in header or not isinstance(header.get("kid"), str):
            return None
        key = self._key(header.get("kid"))
        if key is None or not ed25519.verify(key, f"{parts[0]}.{parts[1]}".encode(), signature):
            return None
        expiry = claims.get("exp")
        not_before = claims.get("nbf", 0)
        is_valid = (
            claims.get("iss") == self.issuer
            and claims.get("aud") == self.plugin_id
            and isinstance(claims.get("iat"), int)
            and isinstance(expiry, int)
            and expiry > time.time() - CLOCK_TOLERANCE
            and isinstance(not_before, int)
            and not_before <= time.time() + CLOCK_TOLERANCE
        )
        return claims if is_valid else None

    def _key(self, kid):
        with self.lock:
            # an unknown kid must not make every call fetch the key set
            if kid not in self.keys and time.time() - self.fetched_at > REFETCH_SECONDS:
                self.keys = self._fetch()
                self.fetched_at = time.time()
            return self.keys.get(kid)

    def _fetch(self):
        try:
            with urllib.request.urlopen(self.address, timeout=5) as response:
                keys = json.load(response)["keys"]
            return {key["kid"]: decode(key["x"]) for key in keys if key.get("crv") == "Ed25519"}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise KeysUnavailable() from error


def matches(claims, request):
    return (
        claims.get("sub") == request["operation"]["operationId"]
        and claims.get("stage") == request["stage"]
        and claims.get("executionSequence") == request["executionSequence"]
    )


BASE64URL = re.compile(r"[A-Za-z0-9_-]*")


def decode(part):
    """Base64url without padding. Raises ValueError for any other character, which b64decode would skip."""
    if BASE64URL.fullmatch(part) is None:
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
