import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { toUrl } from '#database/settings.ts'
import { interval, mean, round } from './report.ts'
import type { Result } from './report.ts'
import { SLICE_MS } from './transaction/slice.ts'
import type { TransactionMeasured, TransactionTask } from './transaction/measure.ts'

const WAYS = ['without', 'with'] as const
const SLICES_A_MINUTE = 6

/**
 * What a transaction costs that somebody keeps open, so that nothing which was changed since can be cleaned up. Two
 * processes do the same work at the same time, each in its own database of one server, so that whatever else the machine
 * does slows both. For a third of the time both are alike, which shows by how much they differ anyway; then a transaction
 * stays open in one of the databases.
 */
export async function benchTransaction(minutes = 5): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const log = { info: () => {}, warn: () => {}, error: console.error }
  const server = await startEmbedded({ dataDir, log, transport: 'tcp' })
  const plugin = fork(new URL('./engine/plugin.ts', import.meta.url))
  try {
    const { url: pluginUrl } = await messageOf<{ url: string }>(plugin)
    const processes = []
    for (const way of WAYS) {
      const connection = await createDatabaseIfMissing(server.connection, `bench_${way}`)
      const task: TransactionTask = {
        databaseUrl: toUrl(connection),
        pluginUrl,
        isHeld: way === 'with',
        slices: { before: Math.round((minutes * SLICES_A_MINUTE) / 2), after: minutes * SLICES_A_MINUTE },
      }
      const child = fork(new URL('./transaction/measure.ts', import.meta.url), [JSON.stringify(task)])
      await messageOf(child)
      processes.push(child)
    }
    const measuring = processes.map((child) => messageOf<TransactionMeasured>(child))
    for (const child of processes) child.send('begin')
    const [without, held] = await Promise.all(measuring)
    if (without === undefined || held === undefined) throw new Error('A process has measured nothing')
    const ratios = {
      before: ratiosOf(held.before, without.before),
      after: ratiosOf(held.after, without.after),
    }
    const figure = 1 - Math.exp(mean(ratios.after) - mean(ratios.before))
    const [low, high] = interval(ratios.after, ratios.before).map((log) => 1 - Math.exp(log)) as [
      number,
      number,
    ]
    return {
      name: 'transaction',
      rows: [
        ...rowsOf('both alike', without.before, held.before),
        ...rowsOf('one with a transaction', without.after, held.after),
      ],
      figure,
      goal: 0.05,
      meaning:
        `The part of the operations per second that is lost in ${minutes} minutes beside an open transaction; at most the goal. ` +
        `95 % interval of this run: ${round(high, 3)} to ${round(low, 3)}.`,
    }
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Logarithms, because the ratio of two ratios is wanted. */
const ratiosOf = (held: readonly number[], without: readonly number[]): number[] =>
  held.map((count, index) => Math.log(count / (without[index] ?? count)))

/** A row for each minute. */
function rowsOf(phase: string, without: readonly number[], held: readonly number[]): Result['rows'] {
  const perSecond = (counts: readonly number[]): number => mean(counts) / (SLICE_MS / 1_000)
  const minutes = Math.ceil(without.length / SLICES_A_MINUTE)
  return Array.from({ length: minutes }, (_, index) => {
    const slices = [index * SLICES_A_MINUTE, (index + 1) * SLICES_A_MINUTE] as const
    const [of, beside] = [perSecond(without.slice(...slices)), perSecond(held.slice(...slices))]
    return {
      phase,
      minute: index + 1,
      'one, per second': Math.round(of),
      'the other, per second': Math.round(beside),
      ratio: round(beside / of, 3),
    }
  })
}

/** The next message of a process; rejects if it ends without one. */
function messageOf<Message>(child: ReturnType<typeof fork>): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message))
    child.once('exit', (code) => reject(new Error(`A process of the benchmark exited with ${code}`)))
  })
}
