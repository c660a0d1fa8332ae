import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { wrapData } from '#contract/protocol/data.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import { freePort } from '#database/free-port.ts'
import { clientConfig } from '#database/settings.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { startChild } from '../verification/processes/child.ts'
import type { Child } from '../verification/processes/child.ts'
import { startOwnDatabase } from '../verification/processes/database.ts'
import { plot, stack } from './plot.ts'
import { median, percentile, round } from './report.ts'
import type { Result } from './report.ts'

export interface SoakOptions {
  minutes: number
  /** Between two restarts of the program. */
  restartMinutes: number
  /** Where `soak.csv` and `soak.svg` are written. */
  out: string
}

const PEOPLE = 8
const READS = ['/summary', '/operations', '/installations', '/plugins', '/audit', '/causes']
const READ_MS = 1_000
/** One of so many requests of a person is a save. */
const SAVE_EVERY = 6
const SAMPLE_MS = 30_000
const LOCATOR = 'production/crm-suite/MODULE/crm-mail'

interface Sample {
  minute: number
  /** Of the program, MB. */
  memory: number
  files: number
  connections: number
  /** Of the database, MB. */
  size: number
  deadRows: number
  /** 95th percentile since the sample before, ms. */
  readMs: number
  saveMs: number
  /** Since the start. */
  operations: number
}

/**
 * The demo as `npm start` runs it, with eight people who read, save and hold a stream of events open, for hours, with regular
 * restarts. Memory, open files, connections, sizes of tables and times of responses are sampled and plotted. SIGTERM ends it early,
 * with the results until then.
 */
export async function benchSoak({ minutes, restartMinutes, out }: SoakOptions): Promise<Result[]> {
  mkdirSync(out, { recursive: true })
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-soak-'))
  const database = await startOwnDatabase()
  const client = new pg.Client(clientConfig(database.connection))
  await client.connect()
  const [port, runtimePort] = [await freePort(), await freePort()]
  const url = `http://localhost:${port}`
  const people = Array.from({ length: PEOPLE }, (_, index) => ({
    username: `person${index}`,
    password: randomUUID(),
    roles: ['admin'],
  }))
  const start = async (): Promise<Child> => {
    const program = startChild({
      file: new URL('../../scripts/start.ts', import.meta.url),
      env: {
        DATABASE_URL: database.url,
        DATA_DIR: dataDir,
        PORT: String(port),
        RUNTIME_PORT: String(runtimePort),
        CONSOLE_USERS: JSON.stringify(people),
        LOG_LEVEL: 'error',
      },
    })
    while (program.isAlive()) {
      const response = await fetch(`${url}/readyz`).catch(() => null)
      if (response?.ok === true) return program
      await sleep(500)
    }
    throw new Error(`The program ended: ${program.output().join('\n')}`)
  }
  const load = new Load(url, people)
  const samples: Sample[] = []
  const tablesAtStart = new Map<string, number>()
  let program = await start()
  try {
    // the demo is complete when everything can be read
    await load.begin()
    for (const [name, bytes] of await tableSizes(client)) tablesAtStart.set(name, bytes)
    const begun = performance.now()
    const minute = (): number => (performance.now() - begun) / 60_000
    let restarted = 0
    const stop = new AbortController()
    process.once('SIGTERM', () => {
      stop.abort()
    })
    while (!stop.signal.aborted && minute() < minutes) {
      await sleep(SAMPLE_MS)
      samples.push({ minute: round(minute()), ...(await sampleOf(client, program)), ...load.since() })
      writeFileSync(join(out, 'soak.csv'), csvOf(samples))
      writeFileSync(join(out, 'soak.svg'), plotsOf(samples))
      if (minute() - restarted < restartMinutes) continue
      restarted = minute()
      load.pause()
      program.signal('SIGTERM')
      await program.exited
      program = await start()
      await load.begin()
    }
    const tables = await tableSizes(client)
    return [
      resultOf(samples, restartMinutes),
      tableResult(tables, tablesAtStart, samples.at(-1)?.operations ?? 0),
    ]
  } finally {
    load.pause()
    program.signal('SIGTERM')
    await program.exited
    await client.end()
    await database.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const PLOTS: readonly (readonly [string, string, (sample: Sample) => number])[] = [
  ['memory', 'MB', ({ memory }) => memory],
  ['connections', '', ({ connections }) => connections],
  ['open files', '', ({ files }) => files],
  ['database size', 'MB', ({ size }) => size],
  ['dead rows', '', ({ deadRows }) => deadRows],
  ['time of a read', 'ms', ({ readMs }) => readMs],
  ['time of a save', 'ms', ({ saveMs }) => saveMs],
]

const plotsOf = (samples: readonly Sample[]): string =>
  stack(
    PLOTS.map(([name, unit, of]) =>
      plot(
        name,
        unit,
        samples.map((one) => ({ x: one.minute, y: of(one) })),
      ),
    ),
  )

/** What the people of the demo do. */
class Load {
  private readonly url: string
  private readonly people: readonly { username: string; password: string }[]
  private ending = new AbortController()
  private running: Promise<unknown> = Promise.resolve()
  private reads: number[] = []
  private saves: number[] = []
  private saved = 0

  constructor(url: string, people: readonly { username: string; password: string }[]) {
    this.url = url
    this.people = people
  }

  /** Signs everybody in and lets them work until `pause`. */
  async begin(): Promise<void> {
    this.ending = new AbortController()
    const cookies: string[] = []
    for (const person of this.people) cookies.push(await sessionCookie(this.url, person))
    const [first = ''] = cookies
    const scopes = await this.scopes(first)
    this.running = Promise.all(
      cookies.flatMap((cookie, index) => [
        this.work(cookie, scopes[index % scopes.length] ?? '', index),
        this.listen(cookie),
      ]),
    )
  }

  pause(): void {
    this.ending.abort()
    // requests that the restart cuts are not results
    this.running.catch(() => undefined)
  }

  /** The times since the last call, and the saves since the start. */
  since(): Pick<Sample, 'readMs' | 'saveMs' | 'operations'> {
    const [reads, saves] = [this.reads.splice(0), this.saves.splice(0)]
    const of = (times: number[]): number => (times.length === 0 ? 0 : round(percentile(times, 95), 0))
    return { readMs: of(reads), saveMs: of(saves), operations: this.saved }
  }

  /** The scopes with an installation of the bundle that is saved, which nothing locks. */
  private async scopes(cookie: string): Promise<string[]> {
    for (;;) {
      const response = await this.send(cookie, 'GET', '/installations?bundleId=crm-suite&state=ACTIVE')
      const { items = [] } = (response.body ?? {}) as { items?: Installation[] }
      const free = items.filter(({ claim }) => claim === null)
      if (free.length >= PEOPLE / 2)
        return free.map(
          ({ installation: { environmentKey, applicationRuntimeId, workspaceId } }) =>
            `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/configuration`,
        )
      await sleep(1_000)
    }
  }

  private async work(cookie: string, configuration: string, index: number): Promise<void> {
    const { signal } = this.ending
    for (let step = index; !signal.aborted; step++) {
      const started = performance.now()
      if (step % SAVE_EVERY !== 0) {
        const path = READS[step % READS.length] ?? ''
        const { status } = await this.send(cookie, 'GET', path)
        if (status === 200) this.reads.push(performance.now() - started)
      } else {
        const { body } = await this.send(cookie, 'GET', configuration)
        const { snapshotVersion } = (body ?? {}) as { snapshotVersion?: number }
        const value = wrapData(1_024 + ((step * 7 + index) % 60_000))
        const saving = performance.now()
        const { status } = await this.send(cookie, 'PATCH', configuration, {
          snapshotVersion,
          changes: { [LOCATOR]: { smtpPort: value } },
          reason: 'soak',
        })
        // an operation that still runs refuses it
        if (status === 200) {
          this.saves.push(performance.now() - saving)
          this.saved++
        }
      }
      await sleep(READ_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  private async listen(cookie: string): Promise<void> {
    const { signal } = this.ending
    const response = await fetch(`${this.url}/api/events`, { headers: { cookie }, signal }).catch(() => null)
    await response?.body?.pipeTo(new WritableStream()).catch(() => undefined)
  }

  private async send(cookie: string, method: string, path: string, body?: unknown) {
    try {
      const response = await fetch(`${this.url}/api${path}`, {
        method,
        signal: this.ending.signal,
        headers: {
          cookie,
          'x-requested-by': 'console',
          ...(body !== undefined && {
            'sec-fetch-site': 'same-origin',
            origin: this.url,
            'idempotency-key': randomUUID(),
            'content-type': 'application/json',
          }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as unknown }
    } catch (error) {
      if (this.ending.signal.aborted) return { status: 0, body: null }
      throw error
    }
  }
}

async function sampleOf(client: pg.Client, { pid }: Child) {
  const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  const { rows } = await client.query<{ connections: string; size: string; dead: string }>(
    `select (select count(*) from pg_stat_activity where datname = current_database()) as connections,
       pg_database_size(current_database()) as size,
       (select sum(n_dead_tup) from pg_stat_user_tables) as dead`,
  )
  return {
    memory: Math.round(Number(memory) / 1024),
    files: readdirSync(`/proc/${pid}/fd`).length,
    connections: Number(rows[0]?.connections),
    size: Math.round(Number(rows[0]?.size) / 2 ** 20),
    deadRows: Number(rows[0]?.dead),
  }
}

/** With their indexes, in bytes. */
async function tableSizes(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select schemaname || '.' || relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

const csvOf = (samples: readonly Sample[]): string =>
  [Object.keys(samples[0] ?? {}), ...samples.map((sample) => Object.values(sample))]
    .map((cells) => cells.join(','))
    .join('\n')

/** Memory at the end of each run of the program: the last against the first. */
function resultOf(samples: readonly Sample[], restartMinutes: number): Result {
  const runs = Map.groupBy(samples, ({ minute }) => Math.floor(minute / restartMinutes))
  const rows = [...runs.values()].map((run) => {
    const last = run.at(-1)
    return {
      'until minute': last?.minute ?? 0,
      'memory MB': last?.memory ?? 0,
      'open files': last?.files ?? 0,
      connections: last?.connections ?? 0,
      'database MB': last?.size ?? 0,
      'dead rows': last?.deadRows ?? 0,
      'read p95 ms': round(median(run.map(({ readMs }) => readMs)), 0),
      'save p95 ms': round(median(run.map(({ saveMs }) => saveMs)), 0),
      saves: last?.operations ?? 0,
    }
  })
  // the first run also builds the demo, and the last may be short
  const whole = rows.length > 3 ? rows.slice(1, -1) : rows
  return {
    name: 'soak',
    rows,
    figure: (whole.at(-1)?.['memory MB'] ?? 0) / (whole[0]?.['memory MB'] ?? 1),
    goal: 1.15,
    meaning: 'Memory at the end of the last whole run between two restarts, divided by that of the first.',
  }
}

/** What each save leaves behind. */
function tableResult(after: Map<string, number>, before: Map<string, number>, saves: number): Result {
  const grown = [...after]
    .map(([name, bytes]) => ({ name, bytes: bytes - (before.get(name) ?? 0) }))
    .toSorted((one, other) => other.bytes - one.bytes)
  const total = grown.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    name: 'soak, what grows',
    rows: grown.slice(0, 15).map(({ name, bytes }) => ({
      table: name,
      'grown kB': Math.round(bytes / 1024),
      'bytes a save': Math.round(bytes / Math.max(saves, 1)),
    })),
    figure: total / Math.max(saves, 1) / 1024,
    goal: 64,
    meaning: 'What the tables and indexes grew by, in kB for each save with its operation.',
  }
}
