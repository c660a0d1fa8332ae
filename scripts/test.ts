import { chmodSync, globSync } from 'node:fs'
import { makeTestDirectory, removeRunDirectory } from '#database/server/place.ts'
import { CONCURRENT_SUITES, runSuites } from '../lab/verification/run-suites.ts'
import { SUITES } from '../lab/verification/suites.ts'
import { runChecks } from './checks.ts'
import { runComponentTests } from './component-tests.ts'
import { runEndToEnd } from './end-to-end.ts'
import { prepareBrowser } from './prepare-browser.ts'
import { root } from './process.ts'
import { shareProcesses } from './share-processes.ts'
import { close } from './tally.ts'
import type { Tally } from './tally.ts'
import { runUnitFiles } from './unit-tests.ts'

/** Runs every test file of the servers and the contract. */
async function runUnitTests(): Promise<Tally> {
  const files = globSync(
    '{contract,http-kit,database,packages,plugin,runtime,bff,operating,e2e,lab/verification,scripts,web}/**/*.test.ts',
    // a test of what authors start from runs in their folder
    { cwd: root, exclude: ['packages/plugin-sdk/template/**'] },
  ).sort()
  const { slowest, ...count } = await runUnitFiles(shareProcesses(files))
  console.log(`Unit and HTTP tests: ${count.passed} passed, ${count.failed} failed`)
  console.log(`Slowest files: ${slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`)
  return { kind: 'tests', ...count }
}

/** The quick form of the suites that judge a change; the others run each night. */
async function runVerification(): Promise<Tally> {
  await prepareBrowser()
  const result = await runSuites({
    size: 'quick',
    seed: null,
    count: null,
    isBailing: false,
    concurrent: CONCURRENT_SUITES,
    suites: Object.keys(SUITES),
  })
  return { kind: 'tests', ...result }
}

const STAGES: Readonly<Record<string, () => Promise<Tally>>> = {
  checks: runChecks,
  unit: runUnitTests,
  components: () => runComponentTests([]),
  verification: runVerification,
  journeys: () => runEndToEnd([]),
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(STAGES, name))
if (unknown.length > 0) {
  console.error(`There is no stage ${unknown.join(', ')}. There are: ${Object.keys(STAGES).join(', ')}.`)
  process.exit(2)
}
// in memory where there is room: tests write databases and stores, and Chromium what its processes share
const temporary = makeTestDirectory(undefined)
// as root, embedded databases of tests run as another user
chmodSync(temporary, 0o755)
process.env['TMPDIR'] = temporary
process.once('exit', () => removeRunDirectory(temporary))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const tallies: Tally[] = []
const durations: { name: string; seconds: number }[] = []
for (const [name, run] of Object.entries(STAGES)) {
  if (named.length > 0 && !named.includes(name)) continue
  const started = performance.now()
  tallies.push(await run())
  durations.push({ name, seconds: Math.round((performance.now() - started) / 1000) })
}
const total = durations.reduce((sum, { seconds }) => sum + seconds, 0)
console.log(
  `Duration: ${durations.map(({ name, seconds }) => `${name} ${seconds} s`).join(', ')}; in all ${total} s`,
)
process.exit(close(tallies))
