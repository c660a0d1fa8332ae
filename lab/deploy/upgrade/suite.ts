import { setTimeout as sleep } from 'node:timers/promises'
import { consoleParts } from '../../verification/processes/console-parts.ts'
import { startOwnDatabase } from '../../verification/processes/database.ts'
import type { OwnDatabase } from '../../verification/processes/database.ts'
import { runLoad } from '../../verification/processes/load.ts'
import type { Replica } from '../../verification/processes/replica.ts'
import { createSystem } from '../../verification/processes/system.ts'
import { SeededRandom } from '../../verification/seeded-random.ts'
import type { Suite, SuiteReport, Violation } from '../../verification/suite.ts'
import { unpackPreviousRelease } from './previous-release.ts'
import type { PreviousRelease } from './previous-release.ts'

const SIZES = {
  quick: { operations: 60, users: 6 },
  full: { operations: 1_000, users: 12 },
} as const
/** How long a stopping replica serves after it has reported that it is not ready. */
const SHUTDOWN_DELAY_SECONDS = 3
const POLL_MS = 100
const BETWEEN_MS = 3_000

/** Two replicas of the previous release are replaced by this version under load, one after the other, and back again. */
export const UPGRADE: Suite = {
  name: 'upgrade',
  title: 'two replicas under load are upgraded from the previous release, and return to it',
  async run({ size, seed, count }) {
    const previous = unpackPreviousRelease()
    if (typeof previous === 'string') return { skipped: previous, lines: [], trials: {}, violations: [] }
    const database = await startOwnDatabase()
    try {
      const sizes = { ...SIZES[size], ...(count !== null && { operations: count }) }
      return await runUpgrade({ previous, database, seed: seed ?? 1, ...sizes })
    } finally {
      await database.stop()
      previous.remove()
    }
  },
}

interface Trial {
  previous: PreviousRelease
  database: OwnDatabase
  seed: number
  operations: number
  users: number
}

async function runUpgrade({ previous, database, seed, operations, users }: Trial): Promise<SuiteReport> {
  /** The program of each replica, by its index; null: that of this version. */
  const programs: (URL | null)[] = [previous.runtime, previous.runtime]
  const current = new URL('../../../runtime/main.ts', import.meta.url)
  const system = await createSystem({
    databaseUrl: database.url,
    replicas: 2,
    leaseSeconds: 5,
    // runtimes are upgraded before consoles, and return after them
    console: await consoleParts(previous.folder),
    seed,
    // operations take seconds, so each change happens while some are in progress
    maxDelayMs: 1_000,
    timeoutMs: 5_000,
    hooks: (index) => ({
      program: () => programs[index] ?? current,
      env: { SHUTDOWN_DELAY_SECONDS: String(SHUTDOWN_DELAY_SECONDS) },
    }),
  })
  const balancer = new Balancer(system.replicas)
  const violations: Violation[] = []
  const rows: string[] = []
  let isDone = false
  /** Replaces both replicas; the other one must stay ready. */
  const replaceAll = async (title: string, program: URL | null): Promise<void> => {
    for (const [index, replica] of system.replicas.entries()) {
      await sleep(BETWEEN_MS)
      const others = system.replicas.filter((other) => other !== replica)
      const lapsesBefore = others.map((other) => balancer.lapses(other))
      const { code, signal } = await replica.stop()
      if (code !== 0)
        violations.push({ promise: 'a replica stops in order', seen: `it ended with ${code ?? signal}` })
      programs[index] = program
      replica.start()
      await replica.ready()
      const lapses = others.reduce(
        (sum, other, at) => sum + balancer.lapses(other) - (lapsesBefore[at] ?? 0),
        0,
      )
      if (lapses > 0)
        violations.push({
          promise: 'the other replica stays ready',
          seen: `${title}: it was not ready ${lapses} times`,
        })
    }
    rows.push(title)
  }
  try {
    const load = await runLoad({
      system,
      connection: database.connection,
      random: new SeededRandom(seed),
      users,
      // the time that a console gives a runtime
      client: { isReady: (base) => balancer.isReady(base), timeoutMs: 15_000 },
      shouldContinue: (started) => started < operations || !isDone,
      startFaults() {
        balancer.start()
        const replacing = (async () => {
          await replaceAll('this version replaces the previous release', null)
          await replaceAll('the previous release replaces this version', previous.runtime)
          await sleep(BETWEEN_MS)
        })().finally(() => (isDone = true))
        // reported by `stop`
        replacing.catch(() => undefined)
        return {
          async stop() {
            await replacing.finally(() => balancer.stop())
          },
        }
      },
    })
    for (const seen of load.unanswered) violations.push({ promise: 'no request fails', seen })
    return {
      lines: [
        `${load.operations} operations (${load.states}), seed ${seed}`,
        `${rows.join('; ')}: ${load.unanswered.length} failed requests`,
        ...load.lines,
      ],
      trials: { 'operations across an upgrade': load.operations },
      violations: [...load.violations, ...violations].map((violation) => ({ ...violation, seed })),
    }
  } finally {
    await balancer.stop()
    await system.stop()
  }
}

/** Polls `readyz` of each replica, as a load balancer does. */
class Balancer {
  private readonly replicas: readonly Replica[]
  private readonly notReady = new Map<string, number>()
  private readonly ready = new Map<string, boolean>()
  private readonly stopped = new AbortController()
  private polling: Promise<unknown> = Promise.resolve()

  constructor(replicas: readonly Replica[]) {
    this.replicas = replicas
  }

  start(): void {
    this.polling = Promise.all(this.replicas.map((replica) => this.poll(replica)))
  }

  isReady(base: string): boolean {
    return this.ready.get(base) ?? true
  }

  /** How often it was not ready. */
  lapses({ apiBase }: Replica): number {
    return this.notReady.get(apiBase) ?? 0
  }

  async stop(): Promise<void> {
    this.stopped.abort()
    await this.polling
  }

  private async poll({ apiBase }: Replica): Promise<void> {
    while (!this.stopped.signal.aborted) {
      const signal = AbortSignal.timeout(5_000)
      const response = await fetch(`${apiBase}/readyz`, { signal }).catch(() => null)
      await response?.body?.cancel()
      const isReady = response?.ok === true
      this.ready.set(apiBase, isReady)
      if (!isReady) this.notReady.set(apiBase, (this.notReady.get(apiBase) ?? 0) + 1)
      await sleep(POLL_MS)
    }
  }
}
