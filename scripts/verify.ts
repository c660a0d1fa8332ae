import { parseArgs } from 'node:util'
import { fetchData } from '../lab/verification/public/fetch-data.ts'
import { CONCURRENT_SUITES, runSuites } from '../lab/verification/run-suites.ts'
import { ALL_SUITES, NIGHTLY_SUITES, SUITES } from '../lab/verification/suites.ts'
import { prepareBrowser } from './prepare-browser.ts'
import { close } from './tally.ts'

const names = Object.keys(ALL_SUITES).join(', ')
const usage = `npm run verify -- [--full] [--nightly | --suite NAME [--seed N | --count N]] [--bail]; the suites are: ${names}
npm run verify -- --suite public --fetch: downloads the data of the suite`
/** Those that open pages of the built console. */
const WITH_CONSOLE: ReadonlySet<string> = new Set(['editor', 'public', 'round-trip', 'slow-tests'])

interface Options {
  isFull: boolean
  /** Runs the suites that `npm test` leaves out. */
  isNightly: boolean
  suite: string | undefined
  seed: number | null
  count: number | null
  isBailing: boolean
  /** Only downloads the data of the suite `public`. */
  isFetching: boolean
}

function readArguments(): Options {
  const { values } = parseArgs({
    options: {
      full: { type: 'boolean' },
      nightly: { type: 'boolean' },
      suite: { type: 'string' },
      seed: { type: 'string' },
      count: { type: 'string' },
      bail: { type: 'boolean' },
      fetch: { type: 'boolean' },
    },
  })
  const number = (name: 'seed' | 'count'): number | null => {
    const value = values[name] === undefined ? null : Number(values[name])
    if (value === null) return null
    if (!Number.isSafeInteger(value)) throw new Error(`--${name} must be an integer`)
    if (values.suite === undefined) throw new Error(`--${name} needs --suite`)
    return value
  }
  if (values.nightly === true && values.suite !== undefined)
    throw new Error('--nightly and --suite exclude each other')
  if (values.fetch === true && values.suite !== 'public') throw new Error('--fetch needs --suite public')
  if (values.suite !== undefined && !(values.suite in ALL_SUITES))
    throw new Error(`there is no suite "${values.suite}"`)
  return {
    isFull: values.full ?? false,
    isNightly: values.nightly ?? false,
    suite: values.suite,
    seed: number('seed'),
    count: number('count'),
    isBailing: values.bail ?? false,
    isFetching: values.fetch ?? false,
  }
}

let options
try {
  options = readArguments()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  process.exit(2)
}
const { isFull, isNightly, suite, isFetching, ...rest } = options
if (isFetching) {
  try {
    await fetchData()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
  process.exit()
}
if (suite === undefined || WITH_CONSOLE.has(suite)) await prepareBrowser()
const result = await runSuites({
  ...rest,
  size: isFull ? 'full' : 'quick',
  // those of the nightly run measure times, which a second suite on the same cores would falsify
  concurrent: isFull || isNightly ? 1 : CONCURRENT_SUITES,
  suites: suite === undefined ? Object.keys(isNightly ? NIGHTLY_SUITES : SUITES) : [suite],
})
for (const reason of result.skipped) console.log(`Skipped: ${reason}`)
process.exit(close([{ kind: 'tests', ...result }]))
