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
