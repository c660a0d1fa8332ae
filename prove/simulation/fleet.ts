import type { Clock } from '#edge/clock.ts'
import type { Log } from '#edge/log.ts'
import { pauseBy } from '#database/transaction.ts'
import type { Vault } from '#runtime/sealing/vault.ts'
import { startWorker } from '#runtime/worker.ts'
import type { Worker } from '#runtime/worker.ts'
import type { World } from '#runtime/world.ts'
import { Actor, actorClock, RIGHT } from './actor.ts'
import type { Skew } from './actor.ts'
import type { SimDatabase } from './database.ts'
import { actorDatabase } from './driver.ts'
import type { DbFaults } from './driver.ts'
import { LEASE_MS } from './lease.ts'
import { actorNetwork } from './network.ts'
import type { NetworkHost } from './network.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Schedule } from './schedule.ts'

export interface Member {
  actor: Actor
  clock: Clock & { readonly timers: number }
  worker: Worker
}

/**
 * `wall time wrong`: by up to a day, in all processes alike. Ids begin with the wall time, and what happens in the same
 * moment happens in the order of ids; so a history goes its own way where that order changes, and cannot be compared.
 */
export type Clocks = 'right' | 'wrong' | 'wall time wrong'

export interface FleetOptions {
  schedule: Schedule
  database: SimDatabase
  faults: DbFaults
  network: NetworkHost
  random: SeededRandom
  vault: Vault
  clocks: Clocks
  note: (text: string) => void
  /** Everything that the processes log. */
  log: (text: string) => void
  pollMs?: number
}

/** The processes of the runtime: workers that come and go, and one for each request. */
export class Fleet {
  readonly members: Member[] = []
  private readonly options: FleetOptions
  private count = 0
  private readonly offsetOfAllMs: number

  constructor(options: FleetOptions) {
    this.options = options
    this.offsetOfAllMs = options.random.fork('wall time of all').between(-DAY_MS, DAY_MS)
  }

  get alive(): Member[] {
    return this.members.filter(({ actor }) => actor.state === 'alive')
  }

  /** A process's view of the outside. */
  world(actor: Actor): { world: World; clock: Member['clock'] } {
    const { schedule, database, faults, network, random, vault, log } = this.options
    const { clocks } = this.options
    const wrong = skewOf(random.fork(`clock of ${actor.name}`))
    const skew =
      clocks === 'right' ? RIGHT : clocks === 'wrong' ? wrong : { ...RIGHT, offsetMs: this.offsetOfAllMs }
    const clock = actorClock(schedule, actor, skew)
    const db = actorDatabase({ database, schedule, faults, actor })
    const own = random.fork(`chance of ${actor.name}`)
    pauseBy(db, (attempt) => clock.sleep(own.between(0, 10 * 2 ** attempt)))
    const signer: World['signer'] = {
      issuer: 'http://platform.test',
      sign: (claims, audience) => Promise.resolve(`signed ${JSON.stringify({ ...claims, aud: audience })}`),
      isPlatformToken: (text) => text.startsWith('signed '),
    }
    const http = actorNetwork(network, actor)
    return { world: { db, http, clock, random: own, log: logTo(log), signer, vault }, clock }
  }

  /** One that serves a request. */
  server(): { actor: Actor; world: World } {
    const actor = new Actor(`api-${++this.count}`)
    return { actor, world: this.world(actor).world }
  }

  startWorker(): Member {
    const { random, note, pollMs } = this.options
    const actor = new Actor(`worker-${++this.count}`)
    const { world, clock } = this.world(actor)
    const worker = startWorker(world, {
      owner: actor.name,
      concurrency: 4,
      leaseMs: LEASE_MS,
      pollMs: pollMs ?? random.pick([2_000, 5_000, 15_000]),
      graceMs: 500,
    })
    const member = { actor, clock, worker }
    this.members.push(member)
    note(`${actor.name} starts`)
    return member
  }

  kill({ actor }: Member): void {
    if (actor.state === 'dead') return
    this.options.note(`${actor.name} is killed`)
    actor.kill()
  }

  /** Pauses it for a time; it goes on then as if nothing had been. */
  pause({ actor }: Member, ms: number): void {
    if (actor.state !== 'alive') return
    this.options.note(`${actor.name} is paused for ${Math.round(ms)} ms`)
    actor.pause(this.options.schedule.now)
    this.options.schedule.after(ms, () => {
      if (actor.state !== 'paused') return
      this.options.note(`${actor.name} goes on`)
      actor.wake(this.options.schedule.now)
    })
  }

  /** Somebody who has time looks for work, as after a commit in the same process. */
  wakeOne(): void {
    const { alive } = this
    if (alive.length > 0) this.options.random.pick(alive).worker.wake()
  }
}

const DAY_MS = 24 * 60 * 60_000

function skewOf(random: SeededRandom): Skew {
  return {
    offsetMs: random.between(-DAY_MS, DAY_MS),
    rate: random.between(0.95, 1.05),
    isFrozen: random.chance(0.2),
    isSuspended: random.chance(0.5),
    jumpMs: random.chance(0.5) ? random.between(-DAY_MS, DAY_MS) : 0,
    everyMs: random.between(500, 20_000),
  }
}

/** Keeps what is logged, and writes it nowhere. */
function logTo(log: (text: string) => void): Log {
  const write =
    (level: string) =>
    (message: string, fields?: object, error?: unknown): void =>
      log(
        `${level} ${message} ${JSON.stringify(fields ?? {})} ${error instanceof Error ? error.message : ''}`,
      )
  const itself: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => itself,
    addSecret: () => {},
    removeSecret: () => {},
  }
  return itself
}
