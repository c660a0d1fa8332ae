import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { test } from 'node:test'

// The simulation is valid only where time and random numbers come from `RuntimeDeps`: code that reads a clock or draws a number
// itself is outside of virtual time and does not depend on the seed.

/** The simulated code; HTTP, reads and event streams may have their own timers. */
const SIMULATED = [
  'runtime/{engine,worker,store}/**/*.ts',
  'runtime/use-cases/{operations,configuration,installations,idempotency,audit}/**/*.ts',
  'runtime/http/write-row.ts',
  'runtime/store/events.ts',
  'database/transaction.ts',
]

const OWN_TIME_OR_RANDOM =
  /Date\.now|performance\.now|\bset(Timeout|Interval|Immediate)\b|Math\.random|random(Bytes|UUID|Int)|getRandomValues|new Date\(\)|hrtime|node:timers/

/** What the simulation replaces, the secrets of plugins, which no simulated request creates, and what lets go of the thread without a time. */
const EXEMPT = new Set([
  'database/transaction.ts',
  'runtime/store/plugins/credentials.ts',
  'runtime/use-cases/installations/check-with-accepted.ts',
])

test('the simulated code reads the time and draws random numbers only through its dependencies', async () => {
  const root = new URL('../../../', import.meta.url)
  const files: string[] = []
  for await (const file of glob(SIMULATED, { cwd: root })) if (!/test/.test(file)) files.push(file)
  assert.ok(files.length > 100, `only ${files.length} files were found`)
  const found = files.filter((file) => OWN_TIME_OR_RANDOM.test(readFileSync(new URL(file, root), 'utf8')))
  assert.deepEqual(
    found.filter((file) => !EXEMPT.has(file)),
    [],
  )
})
