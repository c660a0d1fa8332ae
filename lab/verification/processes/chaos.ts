import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../seeded-random.ts'
import type { Child } from './child.ts'
import type { OwnDatabase } from './database.ts'
import type { PluginProcess } from './plugin-process.ts'
import type { Replica } from './replica.ts'

/** What was done to the processes so far. */
export interface ChaosCounts {
  databaseCrashes: number
  kills: number
  pauses: number
  pluginKills: number
  /** Replicas that had been ready and then ended without being killed: how, and their last lines. */
  unexpectedExits: string[]
}

export interface ChaosOptions {
  database: OwnDatabase
  replicas: readonly Replica[]
  plugins: PluginProcess
  random: SeededRandom
  leaseSeconds: number
}

export interface Chaos {
  counts: Readonly<ChaosCounts>
  /** Completes what is in progress; then everything runs. */
  stop(): Promise<void>
}

const DOWN_MS = [200, 2_000] as const
const BETWEEN_CRASHES_MS = [2_000, 5_000] as const
const BETWEEN_STRIKES_MS = [200, 2_000] as const
const SUPERVISION_MS = 200

/**
 * From now on the database crashes every few seconds; in between, at random times, replicas and plugins are killed, or
 * paused and resumed. Processes are hit one at a time.
 */
export function startChaos({ database, replicas, plugins, random, leaseSeconds }: ChaosOptions): Chaos {
  const counts: ChaosCounts = {
    databaseCrashes: 0,
    kills: 0,
    pauses: 0,
    pluginKills: 0,
    unexpectedExits: [],
  }
  const stopped = new AbortController()
  const { signal } = stopped
  const wait = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)

  const crashDatabase = async (own: SeededRandom): Promise<void> => {
    for (;;) {
      await wait(own.integer(...BETWEEN_CRASHES_MS))
      if (signal.aborted) return
      await database.crash(own.integer(...DOWN_MS))
      counts.databaseCrashes++
    }
  }

  const strike = async (own: SeededRandom): Promise<void> => {
    const replica = own.pick(replicas)
    const roll = own.fraction()
    if (roll < 0.15) {
      await plugins.kill()
      counts.pluginKills++
      await sleep(own.integer(0, 500))
      await plugins.start()
    } else if (roll < 0.65) {
      // the supervisor starts it again
      await replica.kill()
      counts.kills++
    } else {
      // longer than the lease, so that another replica has taken over when it resumes
      await replica.pause()
      counts.pauses++
      await sleep(leaseSeconds * own.integer(1_100, 1_800))
      replica.resume()
    }
  }

  const hitProcesses = async (own: SeededRandom): Promise<void> => {
    for (;;) {
      await wait(own.integer(...BETWEEN_STRIKES_MS))
      if (signal.aborted) return
      await strike(own)
      // otherwise a slow machine never has a replica that is ready
      await Promise.all(replicas.map((replica) => replica.ready())).catch(() => undefined)
    }
  }

  const supervisor = superviseReplicas(replicas, counts)
  const running = Promise.all([crashDatabase(random.split()), hitProcesses(random.split())])
  const stop = async (): Promise<void> => {
    stopped.abort()
    try {
      await running
      await Promise.all(replicas.map((replica) => replica.ready()))
    } finally {
      await supervisor.stop()
    }
  }
  return { counts, stop }
}

/** Restarts replicas that were killed or have ended; notes those that ended without being killed. */
export function superviseReplicas(
  replicas: readonly Replica[],
  counts: Pick<ChaosCounts, 'unexpectedExits'>,
): { stop(): Promise<void> } {
  const stopped = new AbortController()
  /** Replicas that have been ready once. One that loses the database during its start may end. */
  const ready = new Set<Child>()
  const supervise = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      for (const replica of replicas) {
        const child = replica.child()
        if (child.isAlive()) {
          if (!ready.has(child) && (await answers(replica))) ready.add(child)
          continue
        }
        const { code, signal } = await child.exited
        if (signal !== 'SIGKILL' && ready.has(child))
          counts.unexpectedExits.push(`${code ?? signal}: ${lastLines(child)}`)
        replica.start()
      }
      await sleep(SUPERVISION_MS)
    }
  }
  const supervising = supervise()
  return {
    async stop() {
      stopped.abort()
      await supervising
    },
  }
}

/** Its last lines that are not log entries. */
function lastLines(child: Child): string {
  const lines = child.output().filter((line) => !line.startsWith('{"'))
  return lines.slice(-12).join(' | ') || 'no output'
}

async function answers({ apiBase }: Replica): Promise<boolean> {
  const response = await fetch(`${apiBase}/healthz`, { signal: AbortSignal.timeout(500) }).catch(() => null)
  await response?.body?.cancel()
  return response?.ok === true
}
