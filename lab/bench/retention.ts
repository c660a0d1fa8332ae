import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { toUrl } from '#database/settings.ts'
import type { EngineContext } from './engine/operations.ts'
import type { RetentionMeasured } from './retention/measure.ts'
import { interval, mean, round } from './report.ts'
import type { Result } from './report.ts'

/**
 * What retention costs at full load, and how much smaller operations are without their attempts. A process with a new
 * database of 8,000 old operations, on the embedded PostgreSQL, processes operations with and without retention alternately.
 */
export async function benchRetention(): Promise<Result[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const log = { info: () => {}, warn: () => {}, error: console.error }
  const server = await startEmbedded({ dataDir, log, transport: 'tcp' })
  const plugin = fork(new URL('./engine/plugin.ts', import.meta.url))
  let measured: RetentionMeasured
  try {
    const { url: pluginUrl } = await messageOf<{ url: string }>(plugin)
    const connection = await createDatabaseIfMissing(server.connection, 'bench_retention')
    const task: EngineContext = { databaseUrl: toUrl(connection), pluginUrl }
    measured = await messageOf(
      fork(new URL('./retention/measure.ts', import.meta.url), [JSON.stringify(task)]),
    )
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const { pairs, bytes, removedPerSecond } = measured
  // logarithms, because the mean of ratios would depend on which way is divided by the other
  const ratios = pairs.map((pair) => Math.log(pair.with / pair.without))
  const [low, high] = interval(ratios).map((ratio) => 1 - Math.exp(ratio)) as [number, number]
  return [
    {
      name: 'retention',
      rows: (['without', 'with'] as const).map((way) => ({
        retention: way,
        'operations per second': Math.round(mean(pairs.map((pair) => pair[way]))),
        slices: pairs.map((pair) => Math.round(pair[way])).join(' '),
        'removed per second': way === 'with' ? Math.round(removedPerSecond) : 0,
      })),
      figure: 1 - Math.exp(mean(ratios)),
      goal: 0.05,
      meaning:
        'The part of the operations per second that is lost while retention removes old operations; at most the goal. ' +
        `95 % interval of this run: ${round(high, 3)} to ${round(low, 3)}.`,
    },
    {
      name: 'retention size',
      rows: [
        { 'an operation with two calls': 'with attempts', bytes: Math.round(bytes.before) },
        { 'an operation with two calls': 'without', bytes: Math.round(bytes.after) },
      ],
      figure: round(bytes.after / bytes.before),
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
