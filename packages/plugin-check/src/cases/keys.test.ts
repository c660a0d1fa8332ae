import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkReference } from '../../testing/check-reference.ts'
import { CASES } from './all-cases.ts'
import { acceptsNewKey } from './keys.ts'

/** The result of token.new-key with other times than the usual ones. */
async function resultOf(defect: 'strangers-remembered' | null, times: { withinMs: number; pauseMs: number }) {
  const cases = CASES.filter(({ id }) => id === 'token.new-key').map((one) => ({
    ...one,
    run: (trial: Parameters<typeof acceptsNewKey>[0]) => acceptsNewKey(trial, times),
  }))
  const report = await checkReference({ defect, seed: 1, isProcess: false, cases })
  return report.cases[0]?.status
}

test('a plugin that may fetch the keys again only after the time for a new key is not accused', async () => {
  // the reference plugin fetches the keys at most once in a second
  const times = { withinMs: 400, pauseMs: 700 }
  assert.equal(await resultOf(null, times), 'PASSED')
  assert.equal(await resultOf('strangers-remembered', times), 'FAILED')
})
