import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabaseIfMissing, startEmbedded } from '#database/embedded.ts'
import { toUrl } from '#database/settings.ts'
import { round } from './report.ts'
import type { Result } from './report.ts'
import type { TransactionMeasured, TransactionTask } from './transaction/measure.ts'

const WAYS = ['without', 'with'] as const

/**
 * What a transaction costs that somebody keeps open, so that nothing which was changed since can be cleaned up. Two
 * processes do the same work at the same time, each in its own database of one server, so that whatever else the machine
 * does slows both; in one of the two databases a transaction stays open.
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
        minutes,
      }
      const child = fork(new URL('./transaction/measure.ts', import.meta.url), [JSON.stringify(task)])
      await messageOf(child)
      processes.push(child)
    }
    const measuring = processes.map((child) => messageOf<TransactionMeasured>(child))
    for (const child of processes) child.send('begin')
    const [without = [], held = []] = await Promise.all(measuring)
    const cost = (from: number): number => 1 - sum(held.slice(from)) / sum(without.slice(from))
    return {
      name: 'transaction',
      rows: without.map((count, index) => ({
        minute: index + 1,
        'without, per second': Math.round(count / 60),
        'with a transaction, per second': Math.round((held[index] ?? 0) / 60),
        ratio: round((held[index] ?? 0) / count),
      })),
      figure: cost(0),
      goal: 0.05,
      meaning: `The part of the operations per second that is lost in ${minutes} minutes beside an open transaction; at most the goal.`,
    }
  } finally {
    plugin.disconnect()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** The next message of a process; rejects if it ends without one. */
function messageOf<Message>(child: ReturnType<typeof fork>): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Message))
    child.once('exit', (code) => reject(new Error(`A process of the benchmark exited with ${code}`)))
  })
}
