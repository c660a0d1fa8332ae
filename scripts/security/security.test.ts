import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readResults, withTables } from './page.ts'
import { tagProblems, taggedTests } from './tagged-tests.ts'
import { REQUIREMENTS } from './requirements.ts'

const page = '<!-- written by npm run security: start -->\n<!-- written by npm run security: end -->\n'
const everything = [{ file: 'a.test.ts', title: 'holds', ids: REQUIREMENTS.map(({ id }) => id) }]
const rowOf = (text: string, id: string) => text.split('\n').find((line) => line.startsWith(`| ${id}`)) ?? ''

describe('tests of requirements', () => {
  it('carry the ids at the end of their titles, in every kind of quotes', () => {
    const text = [
      "it('is refused (A01)', () => {})",
      'test(`of ${name} is refused (A01, J05)`, () => {})',
      `it("somebody's is refused (B02)", () => {})`,
      "it('(A01) at the beginning', () => {})",
      "it('an example (HTTP)', () => {})",
      '  "it(\'a sample in a test (A01)\', () => {})",',
    ].join('\n')
    assert.deepEqual(taggedTests('a.test.ts', text), [
      { file: 'a.test.ts', title: 'is refused', ids: ['A01'] },
      { file: 'a.test.ts', title: 'of ${name} is refused', ids: ['A01', 'J05'] },
      { file: 'a.test.ts', title: "somebody's is refused", ids: ['B02'] },
    ])
  })

  it('are named if they carry an unknown id, and so is a requirement without a test or a reason', () => {
    assert.deepEqual(tagProblems(everything), [])
    const unknown = { file: 'b.test.ts', title: 'holds', ids: ['A99'] }
    assert.deepEqual(tagProblems([...everything, unknown]), [
      'b.test.ts: "holds" names A99, which is no requirement',
    ])
    const withoutA01 = [{ file: 'a.test.ts', title: 'holds', ids: everything[0]!.ids.slice(1) }]
    assert.match(tagProblems(withoutA01).join('\n'), /^A01 \(MUST\) has no test/)
  })
})

describe('the page of requirements', () => {
  it('keeps a result while its requirement has the same number of tests', () => {
    const first = withTables(page, everything, new Map([['A01', { count: 1, state: 'passed' }]]))
    assert.match(rowOf(first, 'A01'), /\| 1 passed +\|$/)
    assert.match(rowOf(first, 'A02'), /\| 1 not run +\|$/)
    assert.equal(withTables(first, everything, readResults(first)), first)
    const another = [...everything, { file: 'b.test.ts', title: 'holds too', ids: ['A01'] }]
    assert.match(rowOf(withTables(first, another, readResults(first)), 'A01'), /\| 2 not run +\|$/)
  })
})
