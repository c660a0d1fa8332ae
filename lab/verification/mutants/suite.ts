import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { mapConcurrently } from '../concurrency.ts'
import type { Suite, SuiteOptions, SuiteReport } from '../suite.ts'
import type { Killer, Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const hook = new URL('./plant.ts', import.meta.url).href
const CONCURRENT_KILLERS = 2
/** Each takes some seconds, and all are found unless a suite or a test has become weaker. */
const QUICK_MUTANTS = 8
const LIMIT_MS = 180_000

interface Verdict {
  mutant: Mutant
  killer: string
  isKilled: boolean
  /** The first failure, or why there was none. */
  seen: string
}

/**
 * Verifies the suites and tests: each mutant must be detected. The quick form tries eight, each with its first
 * killer. The full form tries all of them with all of their killers, and prints how many
 * mutants each kills. `--seed N` is the mutant with this number.
 */
export const MUTANTS_SUITE: Suite = {
  name: 'mutants',
  title: 'faults planted in the runtime and the SDK are noticed by the other suites and tests',
  async run(options: SuiteOptions): Promise<SuiteReport> {
    const mutants = chosenMutants(options)
    const trials = mutants.flatMap((mutant) =>
      (options.size === 'quick' ? [mutant.killers[0]] : mutant.killers).map((killer) => ({ mutant, killer })),
    )
    const verdicts = await mapConcurrently(trials, CONCURRENT_KILLERS, ({ mutant, killer }) =>
      judge(mutant, killer, options.databaseUrl),
    )
    return report(mutants, verdicts)
  },
}

function chosenMutants({ size, seed, count }: SuiteOptions): readonly Mutant[] {
  if (seed !== null) return MUTANTS.slice(seed - 1, seed)
  const most = count ?? (size === 'quick' ? QUICK_MUTANTS : MUTANTS.length)
  // at equal distances, so that a run that failed fails again
  const step = Math.max(1, MUTANTS.length / most)
  return MUTANTS.filter((_, index) => index % step < 1)
}

function report(mutants: readonly Mutant[], verdicts: readonly Verdict[]): SuiteReport {
  const ofMutant = (mutant: Mutant): Verdict[] => verdicts.filter((verdict) => verdict.mutant === mutant)
  const survivors = mutants.filter((mutant) => ofMutant(mutant).every(({ isKilled }) => !isKilled))
  const lines = mutants.map((mutant) => {
    const details = ofMutant(mutant).map(
      ({ killer, isKilled, seen }) => `\n      ${killer} ${isKilled ? '✔' : '–'} ${seen}`,
    )
    return `${survivors.includes(mutant) ? '✖' : '✔'} ${mutant.name}: ${mutant.breaks}${details.join('')}`
  })
  const killers = [...Map.groupBy(verdicts, ({ killer }) => killer)].map(
    ([killer, all]) => `${killer}: ${all.filter(({ isKilled }) => isKilled).length} of ${all.length}`,
  )
  const killed = mutants.length - survivors.length
  return {
    lines: [...lines, `killed ${killed} of ${mutants.length}; by killer: ${killers.join(', ')}`],
    trials: { 'planted mutants': mutants.length },
    violations: survivors.map((mutant) => ({
      promise: mutant.name,
      seen: `nothing noticed that it ${mutant.breaks}`,
      seed: MUTANTS.indexOf(mutant) + 1,
    })),
  }
}

async function judge(mutant: Mutant, killer: Killer, databaseUrl: string): Promise<Verdict> {
  const { code, output } = await runKiller(mutant, killer, databaseUrl)
  const first = output.split('\n').find((line) => /^\s*(✖|not ok)/.test(line))
  // a suite or test file that found something exits with 1; another code is a mistake in its arguments
  const isKilled = code === 1
  const why = code === null ? 'did not end in time' : code === 0 ? 'found nothing' : `ended with code ${code}`
  const name = 'test' in killer ? killer.test : killer.suite
  return { mutant, killer: name, isKilled, seen: (first?.trim() ?? why).slice(0, 160) }
}

/** Returns the exit code, or null if it did not end in time. */
function runKiller(
  mutant: Mutant,
  killer: Killer,
  databaseUrl: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, argumentsOf(killer), {
    cwd: root,
    env: {
      ...process.env,
      PLANTED_MUTANT: mutant.name,
      NODE_OPTIONS: `--import=${hook}`,
      TEST_DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const collect = (chunk: Buffer): void => void (output += chunk.toString())
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  return new Promise((resolve, reject) => {
    let isLate = false
    const killAll = (): void => {
      // the whole group, because it has children
      if (child.pid !== undefined) killGroup(child.pid)
    }
    const limit = setTimeout(() => {
      isLate = true
      killAll()
    }, LIMIT_MS)
    process.once('exit', killAll)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(limit)
      process.off('exit', killAll)
      killAll()
      resolve({ code: isLate ? null : (code ?? 1), output })
    })
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

function argumentsOf(killer: Killer): string[] {
  if ('test' in killer) {
    const only = killer.only === undefined ? [] : [`--test-name-pattern=${killer.only}`]
    return ['--test', '--test-reporter=spec', ...only, killer.test]
  }
  const count = killer.count === undefined ? [] : ['--count', String(killer.count)]
  return ['scripts/verify.ts', '--suite', killer.suite, '--bail', ...count]
}
