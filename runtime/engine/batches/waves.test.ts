import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WaveProgress } from '../../model/batch-progress.ts'
import { divide, unhealthyPlugins, unmetConditions } from './waves.ts'

const waves = { soakSeconds: 0, maxFailures: 0 }
const progress = (changed: Partial<WaveProgress> = {}): WaveProgress => ({
  waves,
  wave: 2,
  isReleased: false,
  running: 0,
  items: 10,
  failures: 0,
  soaked: 0,
  plugins: [],
  ...changed,
})

describe('the waves of a batch', () => {
  it('are divided by numbers and shares, rounded up, with the others last', () => {
    const of = (sizes: (number | string)[], count: number) =>
      divide(
        { ...waves, sizes },
        Array.from({ length: count }, () => 'prod'),
      ).join('')
    assert.equal(of([1, '10%'], 12), '122333333333')
    assert.equal(of([1, '10%'], 2), '12')
    assert.equal(of(['50%', '50%'], 3), '112')
    assert.equal(of(['100%', 3], 3), '111')
    assert.equal(of([1], 0), '')
  })
  it('are divided by environments in their order, with all others last and without gaps', () => {
    const of = (environments: string[], ...targets: string[]) =>
      divide({ ...waves, environments }, targets).join('')
    assert.equal(of(['test', 'prod'], 'prod', 'test', 'prod'), '212')
    assert.equal(of(['test', 'none', 'prod'], 'other', 'prod', 'test'), '321')
    assert.equal(of(['none'], 'prod', 'test'), '11')
  })
  it('wait for the soak time, failures and plugins, all at once', () => {
    const rows: [Partial<WaveProgress>, string[]][] = [
      [{}, []],
      [{ waves: { ...waves, soakSeconds: 10 }, soaked: 9.9 }, ['SOAK']],
      [{ waves: { ...waves, soakSeconds: 10 }, soaked: 10 }, []],
      [{ failures: 1 }, ['FAILURES']],
      [{ waves: { ...waves, maxFailures: 2 }, failures: 2 }, []],
      [{ waves: { ...waves, maxFailures: 2 }, failures: 3 }, ['FAILURES']],
      // 2.5 of 10: at most 2
      [{ waves: { ...waves, maxFailures: '25%' }, failures: 2 }, []],
      [{ waves: { ...waves, maxFailures: '25%' }, failures: 3 }, ['FAILURES']],
      [{ plugins: [{ pluginId: 'a', attempts: 2, succeeded: 0 }] }, []],
      [
        {
          waves: { soakSeconds: 5, maxFailures: 0, minPluginSuccess: 90 },
          failures: 1,
          plugins: [{ pluginId: 'a', attempts: 2, succeeded: 1 }],
        },
        ['SOAK', 'FAILURES', 'PLUGINS'],
      ],
    ]
    for (const [changed, because] of rows) {
      assert.deepEqual(unmetConditions(progress(changed)), because, JSON.stringify(changed))
      assert.deepEqual(unmetConditions(progress({ ...changed, isReleased: true })), [])
    }
  })
  it('name the plugins of which too few attempts succeeded', () => {
    const plugins = [
      { pluginId: 'silent', attempts: 0, succeeded: 0 },
      { pluginId: 'just', attempts: 10, succeeded: 9 },
      { pluginId: 'below', attempts: 1_000, succeeded: 899 },
    ]
    assert.deepEqual(unhealthyPlugins({ waves: { ...waves, minPluginSuccess: 90 }, plugins }), [
      { pluginId: 'below', success: 89 },
    ])
  })
})
