import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { toUrl } from '#database/settings.ts'
import type { RetentionMeasured, RetentionTask } from './retention/measure.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const ROUNDS = 5

/**
 * What retention costs at full load, and how much smaller operations are without their attempts. Each round has a process
 * and a new database with 4,000 old operations, on the embedded PostgreSQL: it processes a backlog with and without
 * retention in the same process, as in a runtime. The rounds with and without it alternate.
 */
export async function benchRetention(): Promise<Result[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const log = { info: () => {}, warn: () => {}, error: console.error }
  const server = await startEmbedded({ dataDir, log, transport: 'tcp' })
  const plugin = fork(new URL('./engine/plugin.ts', import.meta.url))
  const { url: pluginUrl } = await messageOf<{ url: string }>(plugin)
  const measured: Record<'without' | 'with', RetentionMeasured[]> = { without: [], with: [] }
  try {
    for (let index = 0; index < ROUNDS; index++)
      for (const way of index % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)) {
        const connection = await createDatabaseIfMissing(server.connection, `bench_${index}_${way}`)
        const task: RetentionTask = {
          databaseUrl: toUrl(connection),
          pluginUrl,
          hasRetention: way === 'with',
        }
        measured[way].push(
          await messageOf(fork(new URL('./retention/measure.ts', import.meta.url), [JSON.stringify(task)])),
        )
      }
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const rateOf = (way: 'without' | 'with') => median(measured[way].map(({ perSecond }) => perSecond))
  const sizeOf = (when: 'before' | 'after') => median(measured.with.map(({ bytes }) => bytes[when]))
  return [
    {
      name: 'retention',
      rows: (['without', 'with'] as const).map((way) => ({
        retention: way,
        'operations per second': Math.round(rateOf(way)),
        rounds: measured[way].map(({ perSecond }) => Math.round(perSecond)).join(' '),
        'removed per second': Math.round(
          median(measured[way].map(({ removedPerSecond }) => removedPerSecond)),
        ),
      })),
      figure: 1 - rateOf('with') / rateOf('without'),
      goal: 0.05,
      meaning:
        'The part of the operations per second that is lost while retention removes; at most the goal.',
    },
    {
      name: 'retention size',
      rows: [
        { 'an operation with two calls': 'with attempts', bytes: Math.round(sizeOf('before')) },
        { 'an operation with two calls': 'without', bytes: Math.round(sizeOf('after')) },
      ],
      figure: round(sizeOf('after') / sizeOf('before')),
      goal: 0.5,
      meaning:
        'Bytes of an operation in compact tables with their indexes, without its attempts divided by with them; at most the goal.',
    },
  ]
}

/** The next message of a process; rejects if it ends without one. */
function messageOf<Message>(child: ReturnType<typeof fork>): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message))
    child.once('exit', (code) => reject(new Error(`A process of the benchmark exited with ${code}`)))
  })
}
