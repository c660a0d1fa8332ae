import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { test } from 'node:test'

// What the simulation shows holds only as far as time and chance come through the world: whatever else reads a clock or
// draws a number in the core would be outside of virtual time, and of the seed.

/** Of what is simulated; what serves, reads and streams beside it may have timers of its own. */
const CORE = [
  'runtime/worker.ts',
  'runtime/{operations,configuration,installations,idempotency,plugins,audit,store}/**/*.ts',
  'runtime/http/write-row.ts',
  'runtime/events/emit.ts',
  'database/transaction.ts',
]

const OWN_TIME_OR_CHANCE =
  /Date\.now|performance\.now|\bset(Timeout|Interval|Immediate)\b|Math\.random|random(Bytes|UUID|Int)|getRandomValues|new Date\(\)|hrtime|node:timers/

/** Where it is known, and the simulation brings its own. */
const KNOWN = new Set(['database/transaction.ts'])

test('the core reads no clock and draws no number but through the world', async () => {
  const root = new URL('../../', import.meta.url)
  const files: string[] = []
  for await (const file of glob(CORE, { cwd: root })) if (!/test/.test(file)) files.push(file)
  assert.ok(files.length > 100, `only ${files.length} files were found`)
  const found = files.filter((file) => OWN_TIME_OR_CHANCE.test(readFileSync(new URL(file, root), 'utf8')))
  assert.deepEqual(
    found.filter((file) => !KNOWN.has(file)),
    [],
  )
})
