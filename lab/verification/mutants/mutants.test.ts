import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { describe, test } from 'node:test'
import { plant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const contents = (file: string): Promise<string> =>
  readFile(new URL(`../../../${file}`, import.meta.url), 'utf8')

describe('mutants', () => {
  for (const mutant of MUTANTS) {
    test(`${mutant.name} can be planted, and the source still parses`, async () => {
      const before = await contents(mutant.file)
      const after = plant(mutant, before)
      assert.notEqual(after, before)
      stripTypeScriptTypes(after)
    })

    test(`the tests that must detect ${mutant.name} exist`, async () => {
      for (const killer of mutant.killers) {
        if (!('test' in killer)) continue
        const tests = await contents(killer.test)
        // where no name contains it nothing runs, and the mutant seems to survive
        assert.ok(tests.includes(killer.only ?? ''), killer.only)
      }
    })
  }

  test('names are unique', () => {
    assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length)
  })

  test('a mutant that does not fit its source is refused', () => {
    const [mutant] = MUTANTS
    assert.ok(mutant)
    assert.throws(() => plant({ ...mutant, from: 'not in it' }, 'a source'), /in it 0 times/)
    assert.throws(() => plant({ ...mutant, from: 'a' }, 'a a'), /in it 2 times/)
  })
})
