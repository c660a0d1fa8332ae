import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CASES } from '../../../packages/plugin-check/src/cases/all-cases.ts'
import type { Case } from '../../../packages/plugin-check/src/cases/case.ts'
import { check } from '../../../packages/plugin-check/src/commands/check.ts'
import { parseProfile, UsageError, type Profile } from '../../../packages/plugin-check/src/profile.ts'
import { referenceProfile } from '../../../packages/plugin-check/testing/reference-profile.ts'
import { freePort } from '#database/free-port.ts'
import { TENANT_PROVISIONER } from '../checker/examples.ts'
import { mapConcurrently } from '../concurrency.ts'
import type { Suite } from '../suite.ts'
import { mutationsOf, type Mutation } from './mutations.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const HOOK = new URL('mutated-source.ts', import.meta.url).href
const SAMPLE = { quick: 6, full: 48 }
const CONCURRENCY = 3
/** The checker stops after the first part of its cases that finds something. Those that kill the plugin come last. */
const PART = 40
const TIMEOUT_MS = 2_000
/** Others change nothing that a caller can see: a cache, a text for people, a value that is replaced later. */
const FOUND_MIN = 0.4

interface Target {
  files: readonly string[]
  profile(port: number, folder: string): Profile
}

const TARGETS: readonly Target[] = [
  {
    files: ['parts', 'token', 'resolve'].map((name) => `packages/plugin-check/testing/reference-${name}.ts`),
    profile: (port, folder) =>
      referenceProfile(`http://127.0.0.1:${port}`, { file: join(folder, 'state.json'), defect: '' }),
  },
  {
    files: [
      'admit',
      'answer',
      'call',
      'define-plugin',
      'http',
      'result',
      'run-call',
      'sql-memory',
      'token',
    ].map((name) => `packages/plugin-sdk/src/${name}.ts`),
    profile: (port, folder) => parseProfile(TENANT_PROVISIONER.profile(port, folder), 'of the example'),
  },
]

/** The mutations of the sample: the smallest hashes, so that a change elsewhere leaves the others in it. */
function sampleOf(seed: number, count: number): { mutation: Mutation; target: Target }[] {
  return TARGETS.flatMap((target) =>
    target.files
      .flatMap((file) => mutationsOf(file, readFileSync(join(ROOT, file), 'utf8')))
      .map((mutation) => ({ mutation, target })),
  )
    .map((one) => ({ ...one, order: hashOf(seed, one.mutation) }))
    .toSorted((one, other) => (one.order < other.order ? -1 : 1))
    .slice(0, count)
}

const hashOf = (seed: number, { file, from, to, start }: Mutation): string =>
  createHash('sha256')
    .update(JSON.stringify([seed, file, from, to, contextOf(file, start)]))
    .digest('hex')

/** The line of an offset. */
function contextOf(file: string, start: number): string {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const end = source.indexOf('\n', start)
  return source.slice(source.lastIndexOf('\n', start - 1) + 1, end === -1 ? undefined : end).trim()
}

const needsProcess = ({ needs }: Case): boolean => needs.includes('start')

/** The first case that finds something in the mutated plugin; null if none does. */
async function killer(mutation: Mutation, target: Target, seed: number): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-mutants-'))
  try {
    const port = await freePort()
    const profile = target.profile(port, folder)
    const { start } = profile
    if (start === undefined) throw new Error('the profile has no start')
    const hooked: Profile = {
      ...profile,
      timeoutMs: TIMEOUT_MS,
      start: {
        ...start,
        env: {
          ...start.env,
          NODE_OPTIONS: `--import=${HOOK}`,
          MUTATION: JSON.stringify({ ...mutation, file: join(ROOT, mutation.file) }),
        },
      },
    }
    const plain = CASES.filter((one) => !needsProcess(one))
    const parts = Array.from({ length: Math.ceil(plain.length / PART) }, (_, index) =>
      plain.slice(index * PART, (index + 1) * PART),
    )
    for (const cases of [...parts, CASES.filter(needsProcess)]) {
      const url = `http://127.0.0.1:${port}/lifecycle`
      const report = await check({ url, profile: hooked, seed, platformPort: 0, cases })
      const found = report.cases.find(({ status }) => status === 'FAILED' || status === 'BLOCKED')
      if (found !== undefined) return found.id
    }
    return null
  } catch (error) {
    if (error instanceof UsageError) return 'it cannot be used'
    throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The checker finds small mistakes in the SDK and in the reference plugin; the report has those that it does not find. */
export const SDK_MUTANTS: Suite = {
  name: 'sdk-mutants',
  title: 'plugin-check against small mistakes in the SDK and in the reference plugin',
  async run({ size, seed, count }) {
    const used = seed ?? 1
    const sample = sampleOf(used, count ?? SAMPLE[size])
    const lines: string[] = []
    let killed = 0
    await mapConcurrently(sample, CONCURRENCY, async ({ mutation, target }) => {
      const by = await killer(mutation, target, used)
      if (by !== null) {
        killed++
        return
      }
      const { file, line, from, to, start } = mutation
      const context = contextOf(file, start)
      const seen = `${file}:${line}: ${JSON.stringify(from.slice(0, 60))} becomes ${JSON.stringify(to)} in: ${context}`
      lines.push(`not found: ${seen}`)
    })
    lines.unshift(`${killed} of ${sample.length} mutants found, seed ${used}`)
    const isEnough = killed >= sample.length * FOUND_MIN
    const violations = isEnough ? [] : [{ promise: 'plugin-check', seen: lines[0] ?? '', seed: used }]
    return { lines, trials: { mutants: sample.length }, violations }
  },
}
