import { startTestServer } from '#database/testing.ts'
import { runSuite } from './run-suites.ts'
import type { SuiteOptions } from './suite.ts'
import { ALL_SUITES } from './suites.ts'

// the process of one suite, started by `runSuites` with the name of the suite and its options as JSON
const [name = '', options = '{}'] = process.argv.slice(2)
const load = ALL_SUITES[name]
if (load === undefined) throw new RangeError(`there is no suite "${name}"`)
process.on('disconnect', () => process.exit(1))
const server = await startTestServer({ inMemory: true })
try {
  const chosen = JSON.parse(options) as Omit<SuiteOptions, 'databaseUrl'>
  const result = await runSuite(await load(), { ...chosen, databaseUrl: server.url })
  await new Promise((resolve) => process.send?.(result, resolve))
} finally {
  await server.stop()
}
process.exit()
