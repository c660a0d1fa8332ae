import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkReference, findingsOf } from '../../testing/check-reference.ts'
import { DEFECTS, type DefectName } from '../../testing/defects.ts'
import { STYLES, type StyleName } from '../../testing/styles.ts'
import { CASES } from './all-cases.ts'

// A sample: the suite "checker" of the laboratory runs every defect and every style.

const CONCURRENCY = 4
/** Every so many-th defect; each style meets every so many-th case, another one for each. */
const DEFECT_STRIDE = 8
const CASE_STRIDE = 40

async function forEach<Item>(items: readonly Item[], work: (item: Item, index: number) => Promise<void>) {
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index]
      if (item !== undefined) await work(item, index)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

test('a planted defect is found by the case that is meant to find it', async () => {
  const missed: string[] = []
  const names = Object.keys(DEFECTS) as DefectName[]
  assert.ok(names.length >= 90)
  const sample = names.filter((_, index) => index % DEFECT_STRIDE === 0)
  await forEach(sample, async (defect) => {
    const { own, related } = DEFECTS[defect]
    const cases = CASES.filter(({ id }) => id === own)
    const isProcess = cases.some(({ needs }) => needs.includes('start'))
    const report = await checkReference({ defect, seed: 1, isProcess, cases })
    const [found] = report.cases
    // where ordinary calls fail, the case does not get as far as what it tests
    const isFound =
      found?.status === 'FAILED' || (found?.status === 'BLOCKED' && related.some((id) => id === '*'))
    if (!isFound) missed.push(`${defect}: ${own} ${found?.status}: ${found?.problem}`)
  })
  assert.deepEqual(missed, [])
})

test('a secret that is found is named by its property', async () => {
  const problems = await Promise.all(
    (['secret-in-base64', 'secret-in-log'] as const).map(async (defect) => {
      const cases = CASES.filter(({ id }) => id === DEFECTS[defect].own)
      const { cases: found } = await checkReference({ defect, seed: 1, isProcess: true, cases })
      return found[0]?.problem ?? ''
    }),
  )
  for (const problem of problems)
    assert.match(problem, / contains a secret: plan of production\/crm-suite\/MODULE\/crm-core/)
})

test('a plugin that works before it reads a body holds up no other request', async () => {
  const cases = CASES.filter(({ id }) => id === 'concurrent.slow-upload')
  const report = await checkReference({ defect: null, seed: 1, isProcess: false, answerMs: 600, cases })
  assert.deepEqual(
    report.cases.map(({ status }) => status),
    ['PASSED'],
  )
})

test('no correct style has a finding', async () => {
  const alarms: string[] = []
  await forEach(Object.keys(STYLES) as StyleName[], async (style, offset) => {
    const cases = CASES.filter(
      ({ needs }, index) => !needs.includes('start') && index % CASE_STRIDE === offset % CASE_STRIDE,
    )
    const report = await checkReference({ defect: null, style, seed: 1, isProcess: false, cases })
    for (const id of findingsOf(report))
      alarms.push(`${style}: ${id}: ${report.cases.find((one) => one.id === id)?.problem}`)
  })
  assert.deepEqual(alarms, [])
})
