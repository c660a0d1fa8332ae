import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import { startTestServer } from '#database/testing.ts'
import { eventOutbox, sqliteStore } from '#plugin-sdk/src/index.ts'
import { CASES } from '../../packages/plugin-check/src/cases/all-cases.ts'
import { checkReference } from '../../packages/plugin-check/testing/check-reference.ts'
import { lifecycleRequest, LOCATOR } from '#plugin-sdk/testing/lifecycle-request.ts'
import { RESOLVE } from '#runtime/testing/http.ts'
import { median, round, selectParts } from './report.ts'
import type { Result } from './report.ts'

const CALLS = 1_500
const WARM_UP = 200
const EVENTS = 4_000
const RESOLVES = 8_000
const RESOLVE_GOAL = 2_000
/** At half of the goal, before the latency counts: V8 compiles again for the different load. */
const WARM_UP_AT_HALF = 3_000
const INSTALLATIONS = 100
const CONCURRENCY = 32

const PARTS: Record<string, () => Promise<Result>> = {
  calls: benchCalls,
  outbox: benchOutbox,
  resolve: benchResolve,
  checker: benchChecker,
}

/** What the SDK costs a plugin, how fast its outbox and the resolution of references are, and how long plugin-check takes. */
export async function benchPlugin(only: string): Promise<Result[]> {
  const results: Result[] = []
  for (const measure of selectParts(PARTS, only)) results.push(await measure())
  return results
}

/** How long each response of the checked plugin takes at least. */
const ANSWER_MS = 5

/** All cases against the reference plugin, which the checker starts, kills and restarts. */
async function benchChecker(): Promise<Result> {
  const { cases, durationMs, totals } = await checkReference({
    defect: null,
    seed: 1,
    isProcess: true,
    answerMs: ANSWER_MS,
  })
  if (totals.FAILED + totals.BLOCKED > 0) throw new Error('The reference plugin does not pass')
  const killing = new Set(CASES.filter(({ needs }) => needs.includes('start')).map(({ id }) => id))
  const seconds = (isKilling: boolean): number =>
    round(cases.reduce((sum, { id, ms }) => sum + (killing.has(id) === isKilling ? ms : 0), 0) / 1000, 1)
  return {
    name: 'plugin, checker',
    rows: [{ cases: cases.length, 's in cases that kill': seconds(true), 's in others': seconds(false) }],
    figure: durationMs / 1000,
    goal: 20,
    meaning: `Seconds of one run of plugin-check against a plugin whose responses take ${ANSWER_MS} ms.`,
  }
}

/**
 * One call after another, to the SDK and to a bare handler in turns.
 *
 * It is 0.14 ms where no other work takes the processors (two of them, with real-time priority), and more than twice that where it
 * waits for them. By the profile, most of it is in SQLite: the SDK reads the call and the mark in both transactions, so that a later
 * operation or another process that came in between is seen, and the second reading alone costs 0.03 ms. Validation, JSON and the hash
 * share the rest, none with more than 0.03 ms. Without the index on installations, with row numbers instead of keys, without the timer of
 * the lease, and with an UPDATE at the end, it is the same.
 */
async function benchCalls(): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-plugin-'))
  const kinds = ['sdk', 'bare'] as const
  const servers = await Promise.all(kinds.map((kind) => startServer(kind, folder)))
  const times = { sdk: [] as number[], bare: [] as number[] }
  for (let count = 0; count < CALLS; count++) {
    if (count === WARM_UP) for (const server of servers) await server.processorMs()
    for (const [index, kind] of kinds.entries()) {
      const request = lifecycleRequest({
        pluginId: 'bench',
        operationId: `operation-${count}`,
        bundleInstallId: `install-${count}`,
      })
      const started = performance.now()
      await servers[index]?.post(JSON.stringify(request))
      if (count >= WARM_UP) times[kind].push(performance.now() - started)
    }
  }
  const processorMs = await Promise.all(servers.map((server) => server.processorMs()))
  for (const { child, pool } of servers) {
    child.kill()
    await pool.close()
  }
  rmSync(folder, { recursive: true })
  return {
    name: 'plugin, SDK per call',
    rows: kinds.map((kind, index) => ({
      handler: kind,
      'median ms': round(median(times[kind]), 3),
      // the sum of all threads, which depends less on other load than the elapsed time
      'processor ms per call': round((processorMs[index] ?? 0) / (CALLS - WARM_UP), 3),
    })),
    figure: median(times.sdk) - median(times.bare),
    goal: 0.2,
    meaning:
      'Milliseconds that the SDK adds to a call at the median, over a node:http handler that stores the same.',
  }
}

interface Server {
  child: ChildProcess
  pool: Pool
  post(body: string): Promise<void>
  /** The processor time of the process since the last call of this. */
  processorMs(): Promise<number>
}

async function startServer(kind: string, folder: string): Promise<Server> {
  const file = fileURLToPath(new URL('plugin/serve.ts', import.meta.url))
  const child = spawn(process.execPath, [file, kind, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  const [url] = await once(lines, 'line')
  const pool = new Pool(String(url), { connections: 1 })
  return {
    child,
    pool,
    async processorMs() {
      child.stdin.write('\n')
      const [line] = await once(lines, 'line')
      return Number(line)
    },
    async post(body) {
      const headers = { 'content-type': 'application/json' }
      const response = await pool.request({ method: 'POST', path: '/', headers, body })
      const text = await response.body.text()
      if (response.statusCode !== 200 || !text.includes('APPLIED')) throw new Error(`Responded with ${text}`)
    },
  }
}

/** Counts events per second of processor time. Platform and target respond without delay, in a separate process. */
async function benchOutbox(): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-outbox-'))
  const file = fileURLToPath(new URL('plugin/target.ts', import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(createInterface(child.stdout), 'line')
  const store = sqliteStore(join(folder, 'outbox.sqlite'))
  const outbox = eventOutbox({ store, platformApiBase: String(url), credential: 'bench' })
  const { installation } = lifecycleRequest()
  await store.transaction(async (tx) => {
    for (let count = 0; count < EVENTS; count++)
      await outbox.publish(tx, {
        installation: InstallationIdentity.parse(installation),
        resource: LOCATOR,
        propertyKey: 'eventPublisher',
        method: 'changed',
        payload: { id: `tenant-${count}` },
      })
  })
  const before = process.cpuUsage()
  const started = performance.now()
  await outbox.deliverDue()
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  const cpuSeconds = (user + system) / 1e6
  const { DELIVERED } = await outbox.count()
  await store.close()
  child.kill()
  rmSync(folder, { recursive: true })
  if (DELIVERED !== EVENTS) throw new Error(`Only ${DELIVERED} of ${EVENTS} events were delivered`)
  return {
    name: 'plugin, outbox',
    rows: [{ events: EVENTS, seconds: round(seconds), 'processor seconds': round(cpuSeconds) }],
    figure: EVENTS / cpuSeconds,
    goal: 1_000,
    meaning:
      'Events delivered per second of processor time (one core), each resolved, checked and confirmed; at least.',
  }
}

/**
 * The runtime in a separate process, over HTTP, with PostgreSQL in other processes. First as fast as possible, for the
 * processor time of one resolution; then at half of the goal, for the latency.
 */
async function benchResolve(): Promise<Result> {
  const database = await startTestServer()
  const file = fileURLToPath(new URL('plugin/runtime.ts', import.meta.url))
  const child = spawn(process.execPath, [file, String(INSTALLATIONS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TEST_DATABASE_URL: database.url },
  })
  const lines = createInterface(child.stdout)
  const [line] = await once(lines, 'line')
  const { url, secret, requests } = JSON.parse(String(line)) as {
    url: string
    secret: string
    requests: object[]
  }
  const bodies = requests.map((request) => JSON.stringify(request))
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const pool = new Pool(url, { connections: CONCURRENCY })
  let next = 0
  const resolve = async (): Promise<number> => {
    const body = bodies[next++ % bodies.length] ?? ''
    const started = performance.now()
    const response = await pool.request({ method: 'POST', path: RESOLVE, headers, body })
    const text = await response.body.text()
    if (!text.includes('"errorCode":"0"')) throw new Error(text)
    return performance.now() - started
  }
  const processorSeconds = async (): Promise<number> => {
    child.stdin.write('\n')
    return Number(await once(lines, 'line')) / 1000
  }
  const asFastAsItGoes = async (count: number): Promise<void> => {
    let left = count
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (left-- > 0) await resolve()
      }),
    )
  }
  await asFastAsItGoes(2_000)
  await processorSeconds()
  const started = performance.now()
  await asFastAsItGoes(RESOLVES)
  const seconds = (performance.now() - started) / 1000
  const busy = await processorSeconds()
  await atRate(RESOLVE_GOAL / 2, WARM_UP_AT_HALF, resolve)
  await processorSeconds()
  const times = await atRate(RESOLVE_GOAL / 2, RESOLVES, resolve)
  const atHalf = await processorSeconds()
  await pool.close()
  child.stdin.end()
  await once(child, 'exit')
  await database.stop()
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
  return {
    name: 'plugin, resolve',
    rows: [
      {
        resolutions: RESOLVES,
        installations: INSTALLATIONS,
        seconds: round(seconds),
        'processor seconds': round(busy),
        'p99 ms at half of the goal': round(p99),
        'processor seconds then': round(atHalf),
      },
    ],
    figure: RESOLVES / busy,
    goal: RESOLVE_GOAL,
    meaning:
      'References resolved per second of processor time of the runtime (one core), with PostgreSQL; at least.',
  }
}

/** Starts `count` requests, so many a second, without waiting for responses. Returns how long each took. */
async function atRate(perSecond: number, count: number, send: () => Promise<number>): Promise<number[]> {
  const started = performance.now()
  const times: Promise<number>[] = []
  while (times.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - started) / 1000) * perSecond))
    while (times.length < due) times.push(send())
    await wait(1)
  }
  return Promise.all(times)
}
