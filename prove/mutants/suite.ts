import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import type { Killer, Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const hook = new URL('./plant.ts', import.meta.url).href
const AT_ONCE = 2
const LIMIT_MS = 180_000

interface Verdict {
  mutant: Mutant
  killer: Killer
  isKilled: boolean
  /** What the killer saw first, or why it saw nothing. */
  seen: string
}

/**
 * Proves the proofs: each mutant must be noticed. The quick form asks the first of its killers, the full one all of them,
 * and prints which suite kills how many. `--seed N` is the N-th mutant alone.
 */
export const MUTANTS_SUITE: Suite = {
  name: 'mutants',
  title: 'faults planted in the runtime and the SDK are noticed by the other suites and tests',
  async run(options: SuiteOptions): Promise<SuiteReport> {
    const chosen = options.seed === null ? MUTANTS : MUTANTS.slice(options.seed - 1, options.seed)
    const trials = chosen.flatMap((mutant) =>
      (options.size === 'quick' ? [mutant.killers[0]] : mutant.killers).map((killer) => ({ mutant, killer })),
    )
    const verdicts: Verdict[] = []
    const waiting = [...trials]
    const work = async (): Promise<void> => {
      for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift())
        verdicts.push(await judge(trial.mutant, trial.killer, options.databaseUrl))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return report(chosen, verdicts)
  },
}

function report(chosen: readonly Mutant[], verdicts: readonly Verdict[]): SuiteReport {
  const alive = chosen.filter((mutant) =>
    verdicts.every((verdict) => verdict.mutant !== mutant || !verdict.isKilled),
  )
  const lines = chosen.map((mutant) => {
    const its = verdicts.filter((verdict) => verdict.mutant === mutant)
    const told = its.map(({ killer, isKilled, seen }) => `${nameOf(killer)} ${isKilled ? '✔' : '–'} ${seen}`)
    return `${alive.includes(mutant) ? '✖' : '✔'} ${mutant.name}: ${mutant.breaks}\n      ${told.join('\n      ')}`
  })
  const killers = [...new Set(verdicts.map(({ killer }) => nameOf(killer)))].map((name) => {
    const its = verdicts.filter(({ killer }) => nameOf(killer) === name)
    return `${name}: ${its.filter(({ isKilled }) => isKilled).length} of ${its.length}`
  })
  return {
    tried: [
      ...lines,
      `killed ${chosen.length - alive.length} of ${chosen.length}; by killer: ${killers.join(', ')}`,
    ],
    passed: chosen.length - alive.length,
    failed: alive.length,
    violations: alive.map((mutant): Violation => ({
      promise: mutant.name,
      seen: `nobody noticed that it ${mutant.breaks}`,
      seed: MUTANTS.indexOf(mutant) + 1,
    })),
  }
}

async function judge(mutant: Mutant, killer: Killer, databaseUrl: string): Promise<Verdict> {
  const { code, output } = await runKiller(mutant, killer, databaseUrl)
  const first = output.split('\n').find((line) => /^\s*(✖|not ok)/.test(line))
  // 1 is what a suite and a test file that found something end with; another code is a mistake in how they were asked
  const isKilled = code === 1
  const why = code === null ? 'did not end in time' : code === 0 ? 'saw nothing' : `ended with ${code}`
  return { mutant, killer, isKilled, seen: (first?.trim() ?? why).slice(0, 160) }
}

/** The exit code, or null where it did not end in time. */
function runKiller(
  mutant: Mutant,
  killer: Killer,
  databaseUrl: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, argumentsFor(killer), {
    cwd: root,
    env: {
      ...process.env,
      PROVE_MUTANT: mutant.name,
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
    const endAll = (): void => {
      // its whole group, for it has children of its own
      if (child.pid !== undefined) killGroup(child.pid)
    }
    const limit = setTimeout(() => {
      isLate = true
      endAll()
    }, LIMIT_MS)
    process.once('exit', endAll)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(limit)
      process.off('exit', endAll)
      endAll()
      resolve({ code: isLate ? null : (code ?? 1), output })
    })
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it is gone
  }
}

function argumentsFor(killer: Killer): string[] {
  if ('test' in killer) {
    const only = killer.only === undefined ? [] : [`--test-name-pattern=${killer.only}`]
    return ['--test', '--test-reporter=spec', ...only, killer.test]
  }
  const count = killer.count === undefined ? [] : ['--count', String(killer.count)]
  return ['prove/main.ts', '--suite', killer.suite, '--bail', ...count]
}

function nameOf(killer: Killer): string {
  return 'test' in killer ? killer.test : killer.suite
}
