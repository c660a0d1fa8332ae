import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '#database/pool.ts'
import { clientConfig, fromUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { installedPostgres, startTestServer, testDatabase } from '#database/testing.ts'
import { startTestStandby } from '#database/testing-standby.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { median, round } from '../report.ts'
import type { Result } from '../report.ts'
import { fill } from './fill.ts'
import { openReader } from './reader.ts'
import type { Reader } from './reader.ts'

const AMOUNT = { installations: 20_000, operations: 200_000 }
const READERS = 50
const ROUNDS = 5
/** Of Linux, for the times in /proc. */
const TICK_MS = 10

/** What open pages of the console read again and again. */
const READS: { path: string; query?: Record<string, string> }[] = [
  { path: '/summary' },
  { path: '/operations/counts', query: { bucket: 'hour' } },
  { path: '/operations' },
  { path: '/operations', query: { state: 'FAILED' } },
  { path: '/operations', query: { q: 'planned host refused' } },
  { path: '/installations' },
  { path: '/installations', query: { q: 'bundle-3 shop-4' } },
  { path: '/installed-versions/scopes' },
  { path: '/causes' },
]

/** The processor time of the primary while 50 people read: with a standby that serves them, and without. */
export async function measureReaders(): Promise<Result[]> {
  const binDirectory = installedPostgres()
  if (binDirectory === undefined) {
    console.log('readers: not measured. Install PostgreSQL: the standby is made by pg_basebackup.')
    return []
  }
  const server = await startTestServer({ binDirectory, parameters: { synchronous_commit: 'on' } })
  const { connection } = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: server.url })
  const filling = openDatabase<RuntimeTables>(connection, { statementTimeoutMs: 3_600_000 })
  await fill(filling.db, AMOUNT)
  await filling.close()
  const standby = await startTestStandby(server, binDirectory)
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const readers: Record<string, Reader> = {
    primary: await openReader({ connection, dataDir }),
    standby: await openReader({
      connection,
      dataDir,
      standby: { ...fromUrl(standby.url), database: connection.database },
    }),
  }
  const postmaster = await postmasterOf(connection)
  const used = new Map<string, number[]>(Object.keys(readers).map((name) => [name, []]))
  // interleaved, and the first round is for warming up
  for (let at = 0; at <= ROUNDS; at++)
    for (const [name, reader] of Object.entries(readers)) {
      const before = processorMs(postmaster)
      await Promise.all(Array.from({ length: READERS }, (_, index) => readAll(reader, `reader-${index}`)))
      if (at > 0) used.get(name)?.push((processorMs(postmaster) - before) / (READERS * READS.length))
    }
  for (const reader of Object.values(readers)) await reader.stop()
  await standby.stop()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
  const of = (name: string): number => median(used.get(name) ?? [])
  return [
    {
      name: 'readers',
      rows: [...used.keys()].map((name) => ({
        'reads come from': name,
        'processor ms of the primary for a read': round(of(name), 3),
      })),
      figure: of('standby') / of('primary'),
      goal: 0.1,
      meaning: `Processor time of the primary while ${READERS} people read at the same time from a standby, divided by that without one: ${AMOUNT.installations} installations, ${AMOUNT.operations} operations.`,
    },
  ]
}

async function readAll(reader: Reader, by: string): Promise<void> {
  for (const what of READS) await reader.read({ ...what, by })
}

async function postmasterOf(connection: ConnectionSettings): Promise<number> {
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const parent = statOf(rows[0]?.pid ?? 0)[1]
  await client.end()
  return Number(parent)
}

/** Of a server and its processes, with those that have ended. */
function processorMs(postmaster: number): number {
  const own = statOf(postmaster)
  const [userTime, systemTime, endedUserTime, endedSystemTime] = [11, 12, 13, 14]
  const sum = (stat: string[], fields: number[]) =>
    fields.reduce((total, field) => total + Number(stat[field]), 0)
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statOf(Number(pid)))
    .filter((stat) => Number(stat[1]) === postmaster)
  const ticks =
    sum(own, [userTime, systemTime, endedUserTime, endedSystemTime]) +
    children.reduce((total, child) => total + sum(child, [userTime, systemTime]), 0)
  return ticks * TICK_MS
}

/** What follows the name of the program: state, parent, …; empty for a process that has ended. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}
