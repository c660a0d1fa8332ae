import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'
import type { OwnDatabase } from './database.ts'
import type { Plugins } from './plugins.ts'
import type { Replica } from './replica.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** What was done to the processes so far. */
export interface Harm {
  databaseCrashes: number
  kills: number
  pauses: number
  pluginKills: number
  /** The last words of replicas that were up and then ended, though nobody killed them. */
  ended: string[]
}

export interface ChaosOptions {
  database: OwnDatabase
  replicas: readonly Replica[]
  plugins: Plugins
  random: SeededRandom
  leaseSeconds: number
}

export interface Chaos {
  harm: Readonly<Harm>
  /** Lets what is under way end; then everything runs. */
  stop(): Promise<void>
}

const DOWN_MS = [200, 2_000] as const
const BETWEEN_CRASHES_MS = [2_000, 5_000] as const
const BETWEEN_BLOWS_MS = [200, 2_000] as const
const SUPERVISION_MS = 200

/**
 * From now on the database falls over every few seconds, and in between, at any time, replicas and plugins are killed or
 * stopped and woken. No two blows hit one process at once.
 */
export function startChaos({ database, replicas, plugins, random, leaseSeconds }: ChaosOptions): Chaos {
  const harm: Harm = { databaseCrashes: 0, kills: 0, pauses: 0, pluginKills: 0, ended: [] }
  const stopped = new AbortController()
  const rest = (ms: number) => sleep(ms, undefined, { signal: stopped.signal }).catch(() => undefined)

  const crashDatabase = async (own: SeededRandom): Promise<void> => {
    for (;;) {
      await rest(own.integer(...BETWEEN_CRASHES_MS))
      if (stopped.signal.aborted) return
      await database.crash(own.integer(...DOWN_MS))
      harm.databaseCrashes++
    }
  }

  const strike = async (own: SeededRandom): Promise<void> => {
    const replica = replicas[own.integer(0, replicas.length - 1)]
    const roll = own.fraction()
    if (roll < 0.15) {
      await plugins.kill()
      harm.pluginKills++
      await sleep(own.integer(0, 500))
      await plugins.start()
    } else if (roll < 0.65) {
      // its supervisor starts it again
      await replica?.kill()
      harm.kills++
    } else {
      // longer than the lease, so that another has taken over when it wakes
      await replica?.pause()
      harm.pauses++
      await sleep(leaseSeconds * own.integer(1_100, 1_800))
      replica?.resume()
    }
  }

  const hitProcesses = async (own: SeededRandom): Promise<void> => {
    for (;;) {
      await rest(own.integer(...BETWEEN_BLOWS_MS))
      if (stopped.signal.aborted) return
      await strike(own)
      // one after the other, or a slow machine has never a replica at all
      await Promise.all(replicas.map((replica) => replica.ready())).catch(() => undefined)
    }
  }

  const supervisor = superviseReplicas(replicas, harm)
  const going = Promise.all([crashDatabase(random.split()), hitProcesses(random.split())])
  const stop = async (): Promise<void> => {
    stopped.abort()
    try {
      await going
      await Promise.all(replicas.map((replica) => replica.ready()))
    } finally {
      await supervisor.stop()
    }
  }
  return { harm, stop }
}

/** Starts again what was killed, or has ended by itself. */
function superviseReplicas(replicas: readonly Replica[], harm: Harm): { stop(): Promise<void> } {
  const stopped = new AbortController()
  /** Those that have served. One that loses the database amid its start says so and ends, as it should. */
  const served = new Set<Child>()
  const supervise = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      for (const replica of replicas) {
        const child = replica.child()
        if (child.isAlive()) {
          if (!served.has(child) && (await answers(replica))) served.add(child)
          continue
        }
        const { code, signal } = await child.exited
        if (signal !== 'SIGKILL' && served.has(child))
          harm.ended.push(`${code ?? signal}: ${lastWords(child)}`)
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

/** What it did not log, but said when it ended. */
function lastWords(child: Child): string {
  const words = child.said().filter((line) => !line.startsWith('{"'))
  return words.slice(-12).join(' | ') || 'no word'
}

async function answers({ apiBase }: Replica): Promise<boolean> {
  const answer = await fetch(`${apiBase}/healthz`, { signal: AbortSignal.timeout(500) }).catch(() => null)
  await answer?.body?.cancel()
  return answer?.ok === true
}
