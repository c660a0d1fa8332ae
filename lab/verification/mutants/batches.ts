import { suite, test } from './mutant.ts'
import type { Mutant } from './mutant.ts'

const WAVES = 'runtime/batches/waves.test.ts'

/** Faults of batches: when their waves start. */
export const BATCHES: readonly Mutant[] = [
  {
    name: 'wave-in-spite-of-failures',
    breaks: 'starts the next wave although too many targets of the wave before have failed',
    file: 'runtime/engine/batches/batch-step.ts',
    from: 'if (next !== null && because.length > 0)',
    to: "if (next !== null && because.includes('SOAK'))",
    killers: [
      test('runtime/engine/batches/batch-step.test.ts'),
      test(WAVES, 'waits after too many failures until they are retried'),
      suite('changes', 100),
    ],
  },
  {
    name: 'soak-time-skipped',
    breaks: 'starts the next wave without its soak time',
    file: 'runtime/engine/batches/waves.ts',
    from: 'progress.soaked < soakSeconds',
    to: 'progress.soaked < 0',
    killers: [
      test('runtime/engine/batches/waves.test.ts'),
      test(WAVES, 'waits for the soak time by the clock of the database'),
      suite('changes', 100),
    ],
  },
  {
    name: 'wave-before-the-last-results',
    breaks: 'starts the next wave while targets of the wave before are in progress',
    file: 'runtime/engine/batches/batch-step.ts',
    from: "if (next !== null && next.running > 0) return { kind: 'wait' }",
    to: '',
    killers: [
      test('runtime/engine/batches/batch-step.test.ts'),
      test(WAVES, 'is planned and carried out wave by wave'),
      suite('changes', 100),
    ],
  },
  {
    name: 'wave-continued-twice',
    breaks: 'starts another wave in spite of its conditions when a request to continue is repeated',
    file: 'runtime/use-cases/batches/continue-batch.ts',
    from: '(wave === null || wave !== body.wave)',
    to: 'wave === null',
    killers: [test(WAVES, 'continues in spite of failures when a person says why')],
  },
]
