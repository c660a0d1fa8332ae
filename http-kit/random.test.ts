import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom, uuidv7 } from './random.ts'

test('a UUID contains the time and sorts by it', () => {
  const at = (ms: number) => uuidv7({ clock: { now: () => new Date(ms) }, random: systemRandom })
  assert.match(at(0x0123456789ab), /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(at(1_700_000_000_000) < at(1_700_000_000_001))
})
