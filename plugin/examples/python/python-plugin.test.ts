import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const kit = fileURLToPath(new URL('../../../docs/wire-kit', import.meta.url))

/** Verifies the token and reads the body of every golden lifecycle call; also with another signature. */
const PROGRAM = `
import glob, json, sys
sys.path.insert(0, ".")
import ed25519
from lifecycle_request import read_request
from tokens import decode

with open(sys.argv[1] + "/keys.json") as file:
    key = decode(json.load(file)["jwks"]["keys"][0]["x"])
results = []
for path in sorted(glob.glob(sys.argv[1] + "/exchanges/*.json")):
    with open(path, encoding="utf-8") as file:
        exchange = json.load(file)
    if exchange["to"] != "plugin":
        continue
    head, claims, signature = exchange["request"]["headers"]["authorization"].split(" ")[1].split(".")
    message = (head + "." + claims).encode()
    wrong = decode(signature)[:-1] + b"!"
    results.append({
        "name": exchange["name"],
        "verified": ed25519.verify(key, message, decode(signature)),
        "forged": ed25519.verify(key, message, wrong) or ed25519.verify(key, message + b".", decode(signature)),
        "sequence": read_request(exchange["request"]["body"].encode(), "tenant-provisioner")["executionSequence"],
    })
print(json.dumps(results))
`

test('the plugin in Python verifies and reads every golden lifecycle call', (t) => {
  const { status, stdout, stderr, error } = spawnSync('python3', ['-B', '-c', PROGRAM, kit], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (error !== undefined) return t.skip('python3 is not installed')
  assert.equal(status, 0, stderr)
  const results: { name: string; verified: boolean; forged: boolean; sequence: number }[] = JSON.parse(stdout)
  assert.ok(results.length >= 10)
  for (const { name, verified, forged, sequence } of results) {
    assert.ok(verified, name)
    assert.ok(!forged, name)
    assert.ok(sequence >= 1, name)
  }
})

/** What the verifier says about tokens that nobody signed, and the plugin about lengths that HTTP does not know. */
const HOSTILE = `
import base64, json, sys, time
sys.path.insert(0, ".")
import tokens
from plugin import number

encode = lambda value: base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")
text = json.dumps
verifier = tokens.TokenVerifier("https://platform.example", "mailbox")
verifier.keys = {"k": b"x" * 32}
verifier.fetched_at = time.time()
tokens.ed25519.verify = lambda *_: True
now = int(time.time())
good = {"iss": "https://platform.example", "aud": "mailbox", "iat": now, "exp": now + 60}
def claims(header=text({"alg": "EdDSA", "kid": "k"}), body=good, end=""):
    return verifier.claims(f"Bearer {encode(header)}.{encode(text(body))}{end}.AAAA") is not None

print(json.dumps({
    "good": claims(),
    "refused": [
        claims(text({"alg": "EdDSA", "kid": ["k"]})), claims(text({"alg": "EdDSA", "kid": {"k": 1}})),
        claims("[" * 100000), claims(text({"alg": "EdDSA", "kid": "k", "crit": ["x"]})),
        claims(body={**good, "iat": None}), claims(body={**good, "nbf": now + 600}), claims(body={**good, "nbf": "1"}),
        claims(end="!"), claims(end="\u00e9"),
    ],
    "lengths": [number("12", 10), number("1f", 16)],
    "wrong": [number(value, base) for value, base in
        [("-1", 10), ("abc", 10), ("+1", 10), (" 1", 10), ("1_0", 10), ("-1", 16), ("0x1", 16), ("", 16), ("9" * 30, 10)]],
}))
`

test('the plugin in Python refuses hostile tokens and lengths without an exception', (t) => {
  const { status, stdout, stderr, error } = spawnSync('python3', ['-B', '-c', HOSTILE], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (error !== undefined) return t.skip('python3 is not installed')
  assert.equal(status, 0, stderr)
  const seen: { good: boolean; refused: boolean[]; lengths: number[]; wrong: unknown[] } = JSON.parse(stdout)
  assert.equal(seen.good, true)
  assert.deepEqual(new Set(seen.refused), new Set([false]))
  assert.deepEqual(seen.lengths, [12, 31])
  assert.deepEqual(new Set(seen.wrong), new Set([null]))
})
