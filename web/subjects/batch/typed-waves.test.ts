import assert from 'node:assert/strict'
import { it } from 'node:test'
import { WavesRequest } from '#contract/runtime-api/waves.ts'
import { divisionIn, invalidWaves, NEW_WAVES, typedFrom, wavesIn, type TypedWaves } from './typed-waves.ts'

const typed = (changed: Partial<TypedWaves> = {}): TypedWaves => ({
  ...NEW_WAVES,
  environments: ['test', 'prod'],
  ...changed,
})

it('are sent as the contract has them, and typed again as they were', () => {
  for (const one of [
    typed(),
    typed({ sizes: '1，10％ 3', success: '', failures: '5%', soak: '0' }),
    typed({ by: 'environments', sizes: 'nonsense', failures: '3' }),
  ]) {
    assert.deepEqual([...invalidWaves(one)], [])
    const waves = WavesRequest.parse(wavesIn(one))
    assert.deepEqual(wavesIn(typedFrom(waves, [])), wavesIn(one))
  }
  assert.deepEqual(wavesIn(typed()), {
    sizes: [1, '10%'],
    soakSeconds: 600,
    maxFailures: 0,
    minPluginSuccess: 90,
  })
  // a single environment is not a division
  assert.equal(divisionIn(typed({ by: 'environments', environments: ['prod'] })), undefined)
})

it('name the fields that the contract would refuse', () => {
  const wrong = {
    sizes: ['', '0', '0%', '101%', '1001', 'all', '1.5'],
    soak: ['', '-1', '1441'],
    failures: ['', '101%', '1001'],
    success: ['0', '101', 'x'],
  }
  for (const [field, texts] of Object.entries(wrong))
    for (const text of texts)
      assert.deepEqual([...invalidWaves(typed({ [field]: text }))], [field], `${field}: ${text}`)
  assert.ok(!invalidWaves(typed({ sizes: Array.from({ length: 19 }, () => '1').join(',') })).has('sizes'))
  assert.ok(invalidWaves(typed({ sizes: Array.from({ length: 20 }, () => '1').join(',') })).has('sizes'))
})
