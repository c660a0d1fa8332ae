import { setTimeout as wait } from 'node:timers/promises'
import type { Case } from '../cases/case.ts'
import { CASES } from '../cases/all-cases.ts'
import { UsageError, type Profile } from '../profile.ts'
import { printable } from '../../../../contract/protocol/foreign-text.ts'
import { createReport, type Report } from '../report/report.ts'
import { createHost } from '../run/host.ts'
import type { CaseResult } from '../run/judges.ts'
import { runCases } from '../run/run-cases.ts'
import { createTrial, type Bench } from '../run/trial.ts'
import { credentialProblem, endpointProblem, isNotJson } from '../run/usable.ts'
import { newSigningKey } from '../wire/keys.ts'
import { startPlatform, type Platform } from '../wire/platform.ts'
import { seededRandom } from '../wire/random.ts'
import { describeAnswer, isDone, isFinalFailure, isUndecided, type Answer } from '../wire/read-answer.ts'
import { createSender } from '../wire/send.ts'

export const CHECKER_VERSION = '0.1.0'

export interface BenchOptions {
  url: string
  profile: Profile
  /** The time in the ids, in milliseconds since 1970; default: now. */
  ids?: number
  /** Where the plugin expects the platform; 0 lets the system choose. */
  platformPort: number
  /** The keys of the platform; default: new ones, which a running plugin may fetch only after a while. */
  keys?: Platform['keys']
  /** False: what the plugin may write is not known, so its authorization cannot be read; default true. */
  hasAuthorization?: boolean
  /** True: cases may send more Modules than the profile has. */
  hasTwins?: boolean
}

export interface CheckOptions extends BenchOptions {
  seed: number
  cases?: readonly Case[]
  /** Where the pages of the cases are, for the report. */
  docsUrl?: string
  onResult?: (result: CaseResult) => void
}

/**
 * Runs the cases against a plugin. Throws a UsageError if the plugin cannot be tested at all; everything else that it
 * does is in the report.
 */
export async function check(options: CheckOptions): Promise<Report> {
  const { url, profile, seed, cases = CASES } = options
  const startedAt = new Date()
  return withBench({ ...options, hasTwins: true }, async (bench) => {
    await requireRunning(bench, () => requireUsable(bench, seed))
    const run = { seed, ...(options.onResult !== undefined && { onResult: options.onResult }) }
    const results = await runCases(bench, cases, run)
    return createReport(
      {
        checkerVersion: CHECKER_VERSION,
        pluginId: profile.pluginId,
        pluginVersion: profile.version ?? null,
        complete: cases.length === CASES.length,
        docsUrl: options.docsUrl ?? null,
        url,
        seed,
        ids: bench.idTime,
        startedAt: startedAt.toISOString(),
        durationMs: Date.now() - startedAt.getTime(),
      },
      cases,
      results,
    )
  })
}

/** Starts the platform, and the plugin if the profile says how, for as long as the work takes. Throws a UsageError. */
export async function withBench<Result>(
  { url, profile, platformPort, keys, ids, hasAuthorization = true, hasTwins = false }: BenchOptions,
  work: (bench: Bench) => Promise<Result>,
): Promise<Result> {
  requireAddress(url)
  const platform = await startPlatform(profile, {
    port: platformPort,
    keys: keys ?? [newSigningKey(), newSigningKey()],
    hasAuthorization,
    hasTwins,
  })
  const host = createHost(profile, url, { platform: platform.url, credential: profile.credential })
  const sender = createSender(url, profile.timeoutMs)
  try {
    await host?.start()
    const bench = {
      profile,
      url,
      sender,
      platform,
      host,
      idTime: ids ?? Date.now(),
      codes: new Set<string>(),
      unsettled: { count: 0 },
      shared: new Map<string, unknown>(),
      issued: new Map<string, string>(),
    }
    return await work(bench)
  } finally {
    await host?.kill()
    sender.close()
    await platform.close()
  }
}

function requireAddress(url: string): void {
  const isAddress = URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)
  if (!isAddress)
    throw new UsageError(
      `--url ${url} is not an address. Give the endpoint of the plugin, such as http://127.0.0.1:8090/lifecycle.`,
    )
}

/** What the plugin said, for the person who runs it; reports leave it out. */
const messageOf = (answer: Answer): string =>
  answer.kind === 'failure' && answer.message !== '' ? `: "${printable(answer.message.slice(0, 512))}"` : ''

const ENDED_WITHIN_MS = 200

/** A plugin that has crashed is the reason for whatever was found instead. */
async function requireRunning({ host }: Bench, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    // its connections break before its end is known
    await wait(ENDED_WITHIN_MS)
    const ended = host?.endedByItself() ?? null
    throw ended === null ? error : new UsageError(ended, { cause: error })
  }
}

const GARBAGE_MAX = 3

/** Sends one INSTALL, and explains what keeps the plugin from being tested. */
async function requireUsable(bench: Bench, seed: number): Promise<void> {
  const trial = createTrial(bench, seededRandom(`${seed} ${bench.idTime} start`))
  const installation = trial.install()
  const { before, after } = installation.operation('INSTALL', 1)
  let { exchange, answer } = await trial.send(before)
  // a plugin that does not always answer with JSON can be tested
  for (let sent = 1; sent < GARBAGE_MAX && exchange.response !== null && isNotJson(exchange.response); sent++)
    ({ exchange, answer } = await trial.send(before))
  if (isUndecided(answer) && exchange.response !== null) ({ exchange, answer } = await trial.settle(before))
  // a plugin calls its platform in AFTER_RESOURCES at the latest
  const last = isDone(answer) ? (await trial.settle(after)).answer : answer
  const wrongCredential = credentialProblem(bench, last)
  if (wrongCredential !== null) throw new UsageError(wrongCredential)
  if (bench.platform.wasEarly() && !isDone(last))
    throw new UsageError(
      'The plugin resolved a reference in BEFORE_RESOURCES of an INSTALL, when references do not resolve yet. Resolve it in AFTER_RESOURCES.',
    )
  const problem = endpointProblem(bench, exchange)
  if (problem !== null) throw new UsageError(problem)
  if (isFinalFailure(answer))
    throw new UsageError(
      `The plugin refused an INSTALL with the values of the profile (${describeAnswer(answer)}${messageOf(answer)}). Correct the plugin, or pluginId, resources or configuration of the profile.`,
    )
  await trial.state(installation)
}
