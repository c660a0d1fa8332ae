import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { InstallationIdentity } from '#contract/protocol/scope.ts'
import { startTestServer } from '#database/testing.ts'
import { eventOutbox, sqliteStore } from '#plugin-sdk/src/index.ts'
import { lifecycleRequest, LOCATOR } from '#plugin-sdk/testing/lifecycle-request.ts'
import { RESOLVE } from '#runtime/testing/http.ts'
import { ResolveHarness } from '#runtime/testing/resolve.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const CALLS = 1_500
const WARM_UP = 200
const EVENTS = 4_000
const RESOLVES = 4_000
const CONCURRENCY = 32

/** What the SDK costs a plugin, and how fast its outbox and the resolution of references are. */
export async function benchPlugin(): Promise<Result[]> {
  return [await benchCalls(), await benchOutbox(), await benchResolve()]
}

/** One call after another, to the SDK and to a bare handler in turns. */
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
      // of all threads; other load on the machine affects it less
      'processor ms per call': round((processorMs[index] ?? 0) / (CALLS - WARM_UP), 3),
    })),
    figure: median(times.sdk) - median(times.bare),
    goal: 0.3,
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

/** The runtime with PostgreSQL, over HTTP. */
async function benchResolve(): Promise<Result> {
  const database = await startTestServer()
  process.env['TEST_DATABASE_URL'] = database.url
  const platform = await ResolveHarness.make()
  await platform.putAll()
  const body = JSON.stringify(platform.request())
  const headers = { authorization: `Bearer ${platform.secret}`, 'content-type': 'application/json' }
  const app = platform.http.runtime.app
  let cpuSeconds = 0
  let times: number[] = []
  const resolve = async (): Promise<void> => {
    const started = performance.now()
    const response = await app.request(`http://runtime.test${RESOLVE}`, { method: 'POST', headers, body })
    const text = await response.text()
    if (!text.includes('"errorCode":"0"')) throw new Error(text)
    times.push(performance.now() - started)
  }
  const rounds = async (count: number): Promise<void> => {
    let left = count
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        while (left-- > 0) await resolve()
      }),
    )
  }
  await rounds(500)
  times = []
  const before = process.cpuUsage()
  const started = performance.now()
  await rounds(RESOLVES)
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  cpuSeconds = (user + system) / 1e6
  const sorted = times.toSorted((a, b) => a - b)
  await platform.http.close()
  await database.stop()
  return {
    name: 'plugin, resolve',
    rows: [
      {
        resolutions: RESOLVES,
        seconds: round(seconds),
        'processor seconds': round(cpuSeconds),
        'p99 ms': round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
      },
    ],
    figure: RESOLVES / cpuSeconds,
    goal: 2_000,
    meaning:
      'References resolved per second of processor time of the runtime (one core), with PostgreSQL; at least.',
  }
}
