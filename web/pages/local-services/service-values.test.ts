import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Translate } from '../../i18n/use-text.ts'
import { checkValues, compareValues, isDecided, mergeServiceValues, problemLine } from './service-values.ts'

const t = ((key: string) => key) as unknown as Translate

test('values are an object keyed by property names, and the protected name is rejected', () => {
  assert.deepEqual(checkValues({ a: 1, 'b-c': null }, t), [])
  assert.equal(checkValues([1], t)[0]?.path, '')
  assert.deepEqual(
    checkValues({ instanceRefProperty: 'x', '9/': 1, ok: true }, t).map(({ path }) => path),
    ['/instanceRefProperty', '/9~1'],
  )
  const lines = checkValues({ instanceRefProperty: 'x' }, t).map((problem) => problemLine(problem, t))
  assert.ok(lines.length === 1 && !lines.join('').includes('instanceRefProperty'), lines.join(''))
})

test('each change is mine, theirs, alike or an overlap', () => {
  const base = { same: 1, mine: 1, theirs: 1, alike: 1, overlap: 1, removed: 1 }
  const differences = compareValues(
    base,
    { same: 1, mine: 2, theirs: 1, alike: 2, overlap: 2 },
    { same: 1, mine: 1, theirs: 2, alike: 2, overlap: 3, removed: 1, added: 1 },
  )
  assert.deepEqual(Object.fromEntries(differences.map(({ name, verdict }) => [name, verdict])), {
    mine: 'mine',
    theirs: 'theirs',
    alike: 'alike',
    overlap: 'overlap',
    added: 'theirs',
    removed: 'mine',
  })
})

test('the merge keeps both sides, and the picked value where they overlap', () => {
  const theirs = { a: 1, b: 'theirs', gone: 1 }
  const differences = compareValues({ a: 1, b: 0, gone: 1 }, { a: 2, b: 'mine' }, theirs)
  assert.equal(isDecided(differences, new Map()), false)
  const picks = (pick: 'mine' | 'theirs') => new Map([['b', pick]])
  assert.equal(isDecided(differences, picks('mine')), true)
  assert.deepEqual(mergeServiceValues(theirs, differences, picks('mine')), { a: 2, b: 'mine' })
  assert.deepEqual(mergeServiceValues(theirs, differences, picks('theirs')), { a: 2, b: 'theirs' })
})

test('a property named like a member of the prototype is compared like any other', () => {
  assert.deepEqual(compareValues({}, { toString: 1 }, {}), [
    { name: 'toString', base: undefined, mine: 1, theirs: undefined, verdict: 'mine' },
  ])
})
