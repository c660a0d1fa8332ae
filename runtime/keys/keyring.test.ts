import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { newDataKey, wrapDataKey } from './sealing-key.ts'
import type { SealingKey } from './sealing-key.ts'
import { Keyring, MAX_AGE_MS } from './keyring.ts'
import { DoesNotOpen, UnknownDataKey } from '../sealing/sealed-value.ts'

const sealingKey = (fingerprint: string): SealingKey => ({
  key: randomBytes(32),
  fingerprint,
  source: fingerprint,
})
const FIRST = sealingKey('first')
const rowOf = (id: number, replacedAt: string | null = null, by = FIRST) => ({
  ...wrapDataKey(newDataKey(id), by),
  createdAt: '2026-01-01T00:00:00.000Z',
  replacedAt,
})
const clock = { now: () => new Date(0), monotonic: () => 0 }
const PLACE = ['configuration_property', 1, 'source/crm/MODULE/tenants', 'password']
const SECRET = Buffer.from('"hunter2"')

function keyringOf(...rows: ReturnType<typeof rowOf>[]): Keyring {
  const keyring = new Keyring(clock)
  assert.deepEqual(keyring.addDataKeys(rows, [FIRST]), [])
  return keyring
}

describe('a sealed value', () => {
  const keyring = keyringOf(rowOf(1))

  it('opens at the place where it was sealed, also if it is empty', () => {
    for (const plain of [SECRET, Buffer.alloc(0), randomBytes(100_000)])
      assert.deepEqual(keyring.open(keyring.seal(plain, PLACE), PLACE), plain)
  })

  it('does not open at another place, however similar (H01)', () => {
    const sealed = keyring.seal(SECRET, PLACE)
    const others = [
      ['configuration_property', 2, 'source/crm/MODULE/tenants', 'password'],
      ['configuration_property', '1', 'source/crm/MODULE/tenants', 'password'],
      ['configuration_property', 1, 'source/crm/MODULE/tenants', 'token'],
      ['configuration_property', 1, 'source/crm/MODULE/tenants'],
      ['installed_resource', 1, 'source/crm/MODULE/tenants', 'password'],
      ['configuration_property', 1, 'source/crm/MODULE/tenants,password'],
    ]
    for (const place of others) assert.throws(() => keyring.open(sealed, place), DoesNotOpen)
  })

  it('does not open after any bit was changed or the end was cut off (H01)', () => {
    const sealed = keyring.seal(SECRET, PLACE)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(
        () => keyring.open(changed, PLACE),
        (error) => error instanceof DoesNotOpen || error instanceof UnknownDataKey,
        `bit ${bit}`,
      )
    }
    for (let length = 0; length < sealed.length; length++)
      assert.throws(() => keyring.open(sealed.subarray(0, length), PLACE), DoesNotOpen)
  })

  it('never has the same bytes twice, and contains nothing of the value (H01)', () => {
    const sealed = Array.from({ length: 10_000 }, () => keyring.seal(SECRET, PLACE))
    const nonces = new Set(sealed.map((one) => one.subarray(5, 17).toString('hex')))
    assert.equal(nonces.size, sealed.length)
    assert(!sealed.some((one) => one.includes('hunter')))
  })

  it('reveals neither the value nor other places when it does not open', () => {
    const sealed = keyring.seal(SECRET, PLACE)
    try {
      keyring.open(sealed, ['elsewhere'])
      assert.fail('it opened')
    } catch (error) {
      assert(error instanceof DoesNotOpen)
      assert(!`${error.stack} ${JSON.stringify(error)}`.includes('hunter'))
      assert.equal(error.cause, undefined)
    }
  })

  it('is refused in an unknown format', () => {
    const sealed = keyring.seal(SECRET, PLACE)
    sealed[0] = 2
    assert.throws(() => keyring.open(sealed, PLACE), DoesNotOpen)
    assert.throws(() => keyring.open(Buffer.from('{"contractVersion":"6.0.0"}'), PLACE), DoesNotOpen)
  })
})

describe('a keyring', () => {
  it('opens with replaced keys and seals with the current one (H05)', () => {
    const [old, current] = [rowOf(1), rowOf(2)]
    const sealedBefore = keyringOf(old).seal(SECRET, PLACE)
    const keyring = keyringOf({ ...old, replacedAt: '2026-01-02T00:00:00.000Z' }, current)
    assert.deepEqual(keyring.open(sealedBefore, PLACE), SECRET)
    assert.equal(keyring.currentKeyId(), 2)
    const sealed = keyring.seal(SECRET, PLACE)
    assert.throws(() => keyringOf(old).open(sealed, PLACE), UnknownDataKey)
    assert.deepEqual(keyringOf(current).open(sealed, PLACE), SECRET)
  })

  it('rejects a data key that another sealing key has wrapped, or with another id', () => {
    const foreign = rowOf(1, null, sealingKey('second'))
    const keyring = new Keyring(clock)
    assert.deepEqual(keyring.addDataKeys([foreign], [FIRST]), [foreign])
    assert.throws(() => keyring.seal(SECRET, PLACE))
    assert.throws(() => new Keyring(clock).addDataKeys([{ ...rowOf(1), id: 2 }], [FIRST]))
    const pretended = sealingKey('first')
    assert.throws(() => new Keyring(clock).addDataKeys([rowOf(1)], [pretended]))
  })

  it('keeps a known key after it was rewrapped with an unknown sealing key', () => {
    const row = rowOf(1)
    const keyring = keyringOf(row)
    const sealed = keyring.seal(SECRET, PLACE)
    assert.deepEqual(keyring.addDataKeys([{ ...row, fingerprint: 'second' }], [FIRST]), [])
    assert.deepEqual(keyring.open(sealed, PLACE), SECRET)
  })

  it('refuses to seal with keys that it read too long ago, by either clock', () => {
    for (const which of ['now', 'monotonic'] as const) {
      let time = 0
      const moving = {
        now: () => new Date(which === 'now' ? time : 0),
        monotonic: () => (which === 'monotonic' ? time : 0),
      }
      const row = rowOf(1)
      const keyring = new Keyring(moving)
      keyring.addDataKeys([row], [FIRST])
      time = MAX_AGE_MS
      const sealed = keyring.seal(SECRET, PLACE)
      time = MAX_AGE_MS + 1
      assert.throws(() => keyring.seal(SECRET, PLACE), /too long ago/)
      assert.throws(() => keyring.digest('a'), /too long ago/)
      assert.deepEqual(keyring.open(sealed, PLACE), SECRET)
      keyring.addDataKeys([row], [FIRST])
      assert.deepEqual(keyring.open(keyring.seal(SECRET, PLACE), PLACE), SECRET)
    }
  })
})

describe('a digest', () => {
  it('matches one message, for every keyring with its data key and for no other', () => {
    const [one, two] = [rowOf(1), rowOf(2)]
    const digest = keyringOf(one).digest('message')
    const both = keyringOf({ ...one, replacedAt: '2026-01-02T00:00:00.000Z' }, two)
    assert(both.isDigestOf(digest, 'message'))
    assert(!both.isDigestOf(digest, 'another'))
    assert(!both.isDigestOf(digest.subarray(0, -1), 'message'))
    assert.notDeepEqual(both.digest('message').subarray(5), digest.subarray(5))
    assert.throws(() => keyringOf(two).isDigestOf(digest, 'message'), UnknownDataKey)
  })
})
