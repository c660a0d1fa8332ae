import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { fuzzHttp } from './http-fuzz.ts'
import { JUDGE_TARGETS } from './judge-targets.ts'
import { PROTOCOL_TARGETS } from './protocol-targets.ts'
import { REQUEST_TARGETS } from './request-targets.ts'
import { SERVER_TARGETS } from './server-targets.ts'
import type { Family } from './target.ts'

const TARGETS = [...PROTOCOL_TARGETS, ...JUDGE_TARGETS, ...SERVER_TARGETS, ...REQUEST_TARGETS]

/** `inputs` for each family, `edits` for each endpoint with a body. */
const SIZES = { quick: { inputs: 20_000, edits: 15 }, full: { inputs: 2_500_000, edits: 2_000 } }
const USUAL_SEED = 20_261_121

export const FUZZ: Suite = {
  name: 'fuzz',
  title: 'parsers, and every endpoint over HTTP, with edited documents and bytes',
  run: runFuzz,
}

async function runFuzz({ size, seed: given, databaseUrl }: SuiteOptions): Promise<SuiteReport> {
  const seed = given ?? (size === 'quick' ? USUAL_SEED : Math.floor(Math.random() * 2 ** 31))
  const { inputs, edits } = SIZES[size]
  const families = [await runFamily('structured', inputs, seed), await runFamily('bytes', inputs, seed)]
  const http = await fuzzHttp({ databaseUrl, seed, edits })
  const violations = [...families, http].flatMap((part) => part.violations)
  return {
    lines: [`seed ${seed}`, ...families.map(({ line }) => line), http.line],
    trials: {
      'fuzzed inputs': families.reduce((sum, { count }) => sum + count, 0),
      'fuzzed requests': http.requests,
    },
    violations: violations.map((violation) => ({ ...violation, seed })),
  }
}

async function runFamily(
  family: Family,
  inputs: number,
  seed: number,
): Promise<{ line: string; count: number; violations: Violation[] }> {
  const targets = TARGETS.filter((target) => target.family === family)
  const shares = targets.reduce((sum, { share }) => sum + share, 0)
  const violations: Violation[] = []
  const started = performance.now()
  let count = 0
  for (const target of targets) {
    const runs = Math.ceil((inputs * target.share) / shares)
    count += runs
    const seen = await target.run({ runs, seed })
    if (seen !== null) violations.push({ promise: target.name, seen })
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const names = targets.map(({ name }) => name).join(', ')
  return { line: `${count} ${family} inputs in ${seconds} s: ${names}`, count, violations }
}
