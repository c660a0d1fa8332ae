import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judge, type Case } from './comparison.ts'

const one = (id: string, difference: string | null): Case => ({ file: 'a', id, name: 'a case', difference })
const EXPLAINED = [{ difference: 'is refused', why: 'on purpose', cases: { a: '1 2/0' } }]
const seenIn = (cases: Case[], isPartial = false): string[] =>
  judge('a suite', cases, EXPLAINED, isPartial).violations.map(({ seen }) => seen)

describe('the comparison with a public suite', () => {
  it('accepts what is equal or explained, one by one or as a group', () => {
    const cases = [
      one('0', null),
      one('1/0', 'is refused'),
      one('1/1', 'is refused'),
      one('2/0', 'is refused'),
    ]
    assert.deepEqual(seenIn(cases), [])
  })

  it('reports a difference that is not explained, or is another one', () => {
    const cases = [one('1', 'is accepted'), one('2/0', 'is refused'), one('2/1', 'is refused')]
    assert.deepEqual(seenIn(cases), [
      'a 1 (a case): is accepted; explained as: is refused',
      'a 2/1 (a case): is refused; not explained',
    ])
  })

  it('reports an explanation of what no longer differs, or does not exist', () => {
    const cases = [one('1/0', 'is refused'), one('1/1', null)]
    assert.deepEqual(seenIn(cases), [
      'a 1/1 (a case): does not differ any more; explained as: is refused',
      'a 2/0 is explained, and is no case',
    ])
    assert.deepEqual(seenIn([one('1/0', 'is refused')], true), [])
  })
})
