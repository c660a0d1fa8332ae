import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeTrials, runSuite } from './run-suites.ts'
import type { SuiteOptions, SuiteReport } from './suite.ts'

const OPTIONS: SuiteOptions = { size: 'quick', seed: null, count: null, isBailing: false, databaseUrl: '' }

const failuresOf = async (run: () => Promise<SuiteReport>): Promise<string[]> =>
  (await runSuite({ name: 'sample', title: 'a suite of this test', run }, OPTIONS)).failures

describe('a verification suite', () => {
  it('passes without a violation', async () => {
    const report = { lines: ['tried'], trials: { trials: 1_000 }, violations: [] }
    assert.deepEqual(await failuresOf(async () => report), [])
  })

  it('fails with each violation, and names the seed that repeats it', async () => {
    const violations = [{ promise: 'I4', seen: 'two claims', seed: 7 }]
    const [failure = ''] = await failuresOf(async () => ({ lines: [], trials: { trials: 1 }, violations }))
    assert.match(failure, /^sample: I4: two claims\n +npm run verify -- --suite sample --seed 7$/)
  })

  it('fails when it throws', async () => {
    const [failure = ''] = await failuresOf(() => Promise.reject(new Error('no database')))
    assert.match(failure, /the suite runs: Error: no database/)
  })

  it('neither passes nor fails when its programs cannot be had', async () => {
    const report = { lines: [], trials: {}, violations: [], skipped: 'needs the program x' }
    const run = async () => report
    const result = await runSuite({ name: 'sample', title: 'a suite of this test', run }, OPTIONS)
    assert.deepEqual(result, { trials: {}, failures: [], skipped: 'needs the program x' })
  })

  it('counts trials by kind', () => {
    assert.equal(
      describeTrials({ 'crash points': 252, 'fuzzed inputs': 5_310 }),
      '252 crash points, 5,310 fuzzed inputs',
    )
  })
})
