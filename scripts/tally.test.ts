import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { closingLines } from './tally.ts'

describe('the closing lines of a run', () => {
  it('count tests, journeys and checks, and trials apart', () => {
    const lines = closingLines([
      { kind: 'checks', passed: 6, failed: 0, failures: [] },
      { kind: 'tests', passed: 1000, failed: 0, failures: [] },
      {
        kind: 'tests',
        passed: 9,
        failed: 0,
        failures: [],
        trials: { 'crash points': 252, 'fuzzed inputs': 5310 },
      },
      { kind: 'journeys', passed: 43, failed: 0, failures: [] },
    ])
    assert.deepEqual(lines, [
      'Trials: 252 crash points, 5,310 fuzzed inputs',
      'Passed: 1009 of 1009 tests, 43 of 43 journeys, 6 of 6 checks',
      '1058 passed, 0 failed',
    ])
  })

  it('name every failure, and leave out kinds that did not run', () => {
    const lines = closingLines([
      { kind: 'tests', passed: 1, failed: 2, failures: ['model: some order', 'fuzz: cursors'], trials: {} },
    ])
    assert.deepEqual(lines.slice(0, 2), ['✖ model: some order', '✖ fuzz: cursors'])
    assert.deepEqual(lines.slice(-2), ['Passed: 1 of 3 tests', '1 passed, 2 failed'])
  })
})
