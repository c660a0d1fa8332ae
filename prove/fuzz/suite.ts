import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { EDGE_TARGETS } from './edge-targets.ts'
import { fuzzHttp } from './http-edge.ts'
import { JUDGE_TARGETS } from './judge-targets.ts'
import { PROTOCOL_TARGETS } from './protocol-targets.ts'
import { REQUEST_TARGETS } from './request-targets.ts'
import type { AnyTarget, Family } from './target.ts'

const TARGETS: readonly AnyTarget[] = [
  ...PROTOCOL_TARGETS,
  ...JUDGE_TARGETS,
  ...EDGE_TARGETS,
  ...REQUEST_TARGETS,
]

/** Of each family. */
const RUNS = { quick: 100_000, full: 2_500_000 }
const USUAL_SEED = 20_261_121

/** Parsers and edges on whatever may come: they say no in their own words, and nothing bad is ever kept. */
export const FUZZ: Suite = {
  name: 'fuzz',
  title: 'parsers, and every endpoint over HTTP, on edited documents and bytes',
  run: runFuzz,
}

async function runFuzz({ size, seed, databaseUrl }: SuiteOptions): Promise<SuiteReport> {
  const from = seed ?? (size === 'quick' ? USUAL_SEED : Math.floor(Math.random() * 2 ** 31))
  const tried: string[] = [`seed ${from}`]
  const violations: Violation[] = []
  let failed = 0
  for (const family of ['structured', 'bytes'] as const) {
    const own = TARGETS.filter((target) => target.family === family)
    const report = await runFamily(own, family, RUNS[size], from)
    tried.push(report.line)
    failed += report.violations.length
    violations.push(...report.violations)
  }
  const http = await fuzzHttp({ databaseUrl, seed: from, edits: size === 'quick' ? 60 : 2_000 })
  tried.push(...http.tried)
  const passed = TARGETS.length - failed + http.passed
  return {
    tried,
    passed,
    failed: failed + http.violations.length,
    violations: [...violations, ...http.violations.map((violation) => ({ ...violation, seed: from }))],
  }
}

async function runFamily(
  targets: readonly AnyTarget[],
  family: Family,
  inputs: number,
  seed: number,
): Promise<{ line: string; violations: Violation[] }> {
  const shares = targets.reduce((sum, { share }) => sum + share, 0)
  const violations: Violation[] = []
  const started = performance.now()
  let count = 0
  for (const target of targets) {
    const runs = Math.ceil((inputs * target.share) / shares)
    count += runs
    const seen = await target.run({ runs, seed })
    if (seen !== null) violations.push({ promise: target.name, seen, seed })
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const names = targets.map(({ name }) => name).join(', ')
  return { line: `${count} ${family} inputs in ${seconds} s: ${names}`, violations }
}
