import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { describe, test } from 'node:test'
import { plant } from './mutant.ts'
import type { Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const source = ({ file }: Mutant): Promise<string> =>
  readFile(new URL(`../../${file}`, import.meta.url), 'utf8')

describe('mutants', () => {
  for (const mutant of MUTANTS) {
    test(`${mutant.name} can be planted and is still a program`, async () => {
      const before = await source(mutant)
      const after = plant(mutant, before)
      assert.notEqual(after, before)
      stripTypeScriptTypes(after)
    })
  }

  test('no two have one name', () => {
    assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length)
  })

  test('one whose place is gone is refused', () => {
    const [mutant] = MUTANTS
    assert.ok(mutant)
    assert.throws(() => plant({ ...mutant, from: 'stands nowhere' }, 'a source'), /stands there 0 times/)
    assert.throws(() => plant({ ...mutant, from: 'a' }, 'a a'), /stands there 2 times/)
  })
})
