import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Grant } from '#contract/endpoint/permission.ts'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { createActorAssertions, createRecordingAssertions } from './actor-assertion.ts'

const { privateKey, publicKey } = await generateKeyPair('EdDSA')
const key = { privateKey, publicJwk: await exportJWK(publicKey), kid: 'one' }
const ada = { id: 'ada', name: 'Ada', grants: [] }
const START = Date.parse('2026-01-31T08:00:00Z')

function testClock() {
  const clock = {
    passedMs: 0,
    setMs: 0,
    now: () => new Date(START + clock.passedMs + clock.setMs),
    monotonic: () => 7_000 + clock.passedMs,
  }
  return clock
}

for (const seconds of [-86_400, -3_600, -120, -45, 45, 3_600])
  test(`an assertion from before the clock was set by ${seconds} s is not used again`, async () => {
    const clock = testClock()
    const assertionOf = createActorAssertions(key, clock)
    const first = await assertionOf(ada)
    clock.passedMs = 1_000
    assert.equal(await assertionOf(ada), first)
    clock.setMs = seconds * 1000
    const { iat, exp } = decodeJwt(await assertionOf(ada))
    assert.equal(iat, START / 1000 + 1 + seconds)
    assert.equal(exp, START / 1000 + 61 + seconds)
    // and it is used for 20 s of the time that passes
    clock.passedMs = 20_000
    assert.equal(decodeJwt(await assertionOf(ada)).iat, iat)
    clock.passedMs = 21_001
    assert.notEqual(decodeJwt(await assertionOf(ada)).iat, iat)
  })

test('the clocks are looked at again before anything is signed', async () => {
  const clock = { ...testClock(), refreshAfterStep: () => Promise.resolve(void (clock.looks += 1)), looks: 0 }
  await createActorAssertions(key, clock)(ada)
  await createRecordingAssertions(key, clock)(ada)
  assert.equal(clock.looks, 2)
})

test('large assertions are kept for few identities, and small ones for many (J01)', async () => {
  const clock = testClock()
  const assertionOf = createActorAssertions(key, clock)
  const grants = Array.from({ length: 500 }, (_, workspaceId): Grant => {
    const [environmentKey, applicationRuntimeId] = ['e'.repeat(128), 'a'.repeat(128)]
    return { permissions: ['read'], scope: { environmentKey, applicationRuntimeId, workspaceId } }
  })
  const at = (clientAddress: string) => ({ ...ada, grants, clientAddress })
  const [first, small] = [await assertionOf(at('first')), await assertionOf(ada)]
  for (let count = 0; count < 120; count++) await assertionOf(at(`2001:db8::${count}`))
  const last = await assertionOf(at('last'))
  const others = Array.from({ length: 200 }, (_, index) => ({ ...ada, id: `person ${index}` }))
  const before = await Promise.all(others.map(assertionOf))
  // whatever is signed again has another time
  clock.passedMs = 2_000
  assert.deepEqual(await Promise.all(others.map(assertionOf)), before)
  assert.equal(await assertionOf(at('last')), last)
  assert.notEqual(await assertionOf(at('first')), first)
  assert.notEqual(await assertionOf(ada), small)
})
