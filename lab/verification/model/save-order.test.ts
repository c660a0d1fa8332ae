import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findViolations } from './save-order.ts'
import type { Entry, History, Result, Values } from './save-order.ts'

const entry = (
  [calledAt, answeredAt]: [number, number],
  base: number | null,
  sets: Values,
  result: Result,
): Entry => ({ client: 1, base, sets, result, calledAt, answeredAt })
const read = (time: [number, number], version: number, values: Values): Entry =>
  entry(time, null, {}, { kind: 'read', register: { version, values } })
const save = (time: [number, number], base: number, value: string, result: Result): Entry =>
  entry(time, base, { a: value }, result)

/** Two accepted saves and one whose response was lost, with reads and rejections around them. */
const SOUND: History = {
  start: { version: 1, values: {} },
  saves: [{ a: 'x' }, { a: 'y' }, { a: 'z' }],
  entries: [
    read([0, 1], 1, {}),
    save([2, 5], 1, 'x', { kind: 'saved', version: 2 }),
    save([2, 6], 1, 'lost race', { kind: 'stale' }),
    read([3, 4], 1, {}),
    save([7, 8], 2, 'too early', { kind: 'claimed' }),
    save([9, 10], 2, 'y', { kind: 'saved', version: 3 }),
    save([11, Infinity], 3, 'z', { kind: 'unknown' }),
    save([11, Infinity], 3, 'never', { kind: 'unknown' }),
    read([12, 13], 4, { a: 'z' }),
  ],
}

/** Each is one change of the sound history. */
const WRONG: Record<string, (entries: Entry[]) => History['saves'] | void> = {
  'a save accepted on a stale base': (entries) =>
    void (entries[5] = save([9, 10], 1, 'y', { kind: 'saved', version: 3 })),
  'two saves with the same version': (entries) =>
    void (entries[2] = save([2, 6], 1, 'lost race', { kind: 'saved', version: 2 })),
  'an accepted save that is lost': () => [{ a: 'x' }, { a: 'other' }, { a: 'z' }],
  'a lost update': () => [{ a: 'x' }, { a: 'y' }, { a: 'z' }, { a: 'x' }],
  'a refused save that was carried out': () => [{ a: 'lost race' }, { a: 'y' }, { a: 'z' }],
  'a save refused on the current base': (entries) =>
    void (entries[2] = save([0, 1], 1, 'lost race', { kind: 'stale' })),
  'a read of an older version than one read before': (entries) =>
    void entries.push(read([14, 15], 3, { a: 'y' })),
  'a read of a version that was saved later': (entries) => void (entries[3] = read([0, 1], 2, { a: 'x' })),
  'a read of values that nobody saved': (entries) => void (entries[8] = read([12, 13], 4, { a: 'q' })),
  'a claim before any save': (entries) =>
    void (entries[4] = save([0, 1], 1, 'too early', { kind: 'claimed' })),
}

suite('the order of saves', () => {
  test('a sound history has no breach', () => {
    assert.deepEqual(findViolations(SOUND), [])
  })

  for (const [name, change] of Object.entries(WRONG)) {
    test(`${name} is a breach`, () => {
      const entries = [...SOUND.entries]
      const saves = change(entries) ?? SOUND.saves
      assert.notDeepEqual(findViolations({ ...SOUND, entries, saves }), [])
    })
  }
})
