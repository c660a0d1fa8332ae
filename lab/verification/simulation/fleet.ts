import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { setRetryPause } from '#database/transaction.ts'
import { startWorker } from '#runtime/worker/worker.ts'
import type { Worker } from '#runtime/worker/worker.ts'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { SimulatedDatabase } from './database.ts'
import { processDatabase } from './driver.ts'
import type { DatabaseFaults } from './driver.ts'
import { processNetwork } from './network.ts'
import type { NetworkOptions } from './network.ts'
import { NO_SKEW, processClock, SimulatedProcess } from './process.ts'
import type { Skew } from './process.ts'
import type { Schedule } from './schedule.ts'
import type { Vault } from '#runtime/model/vault.ts'

/** The lease that workers of the simulation take. */
export const LEASE_MS = 4_000
const DAY_MS = 24 * 60 * 60_000

export interface Member {
  process: SimulatedProcess
  clock: Clock & { readonly timers: number }
  deps: RuntimeDeps
  worker: Worker
}

/**
 * `wall time wrong`: by up to a day, equally in all processes. Ids begin with the wall time, and simultaneous work is done
 * in the order of ids; with different errors that order, and so the history, would change and could not be compared.
 */
export type Clocks = 'right' | 'wrong' | 'wall time wrong'

export interface FleetOptions {
  schedule: Schedule
  database: SimulatedDatabase
  faults: DatabaseFaults
  network: NetworkOptions
  random: SeededRandom
  vault: Vault
  clocks: Clocks
  note: (text: string) => void
  /** Receives every log line of the processes. */
  log: (text: string) => void
  pollMs?: number
}

/** The processes of the runtime: workers that come and go, and one per request. */
export class Fleet {
  readonly members: Member[] = []
  private readonly options: FleetOptions
  private count = 0
  private readonly wallOffsetMs: number

  constructor(options: FleetOptions) {
    this.options = options
    this.wallOffsetMs = options.random.fork('wall time of all').between(-DAY_MS, DAY_MS)
  }

  get running(): Member[] {
    return this.members.filter(({ process }) => process.state === 'running')
  }

  /** Everything outside of a process, as the process sees it. */
  private deps(process: SimulatedProcess): { deps: RuntimeDeps; clock: Member['clock'] } {
    const { schedule, database, faults, network, random, vault, log, clocks } = this.options
    const wrong = randomSkew(random.fork(`clock of ${process.name}`))
    const skew =
      clocks === 'right' ? NO_SKEW : clocks === 'wrong' ? wrong : { ...NO_SKEW, offsetMs: this.wallOffsetMs }
    const clock = processClock(schedule, process, skew)
    const db = processDatabase({ database, schedule, faults, process })
    const randomOfProcess = random.fork(`chance of ${process.name}`)
    setRetryPause(db, (attempt) => clock.sleep(randomOfProcess.between(0, 10 * 2 ** attempt)))
    const signer: RuntimeDeps['signer'] = {
      issuer: 'http://platform.test',
      sign: (claims, audience) => Promise.resolve(`signed ${JSON.stringify({ ...claims, aud: audience })}`),
      // its tokens are not JWTs
      isPlatformPayload: () => false,
    }
    const http = processNetwork(network, process)
    return { deps: { db, http, clock, random: randomOfProcess, log: logTo(log), signer, vault }, clock }
  }

  /** A process that serves one request. */
  startServer(): { process: SimulatedProcess; deps: RuntimeDeps } {
    const process = new SimulatedProcess(`api-${++this.count}`)
    return { process, deps: this.deps(process).deps }
  }

  startWorker(): Member {
    const { random, note, pollMs } = this.options
    const process = new SimulatedProcess(`worker-${++this.count}`)
    const { deps, clock } = this.deps(process)
    const worker = startWorker(deps, {
      owner: process.name,
      concurrency: 4,
      leaseMs: LEASE_MS,
      pollMs: pollMs ?? random.pick([2_000, 5_000, 15_000]),
      graceMs: 500,
    })
    const member = { process, clock, deps, worker }
    this.members.push(member)
    note(`${process.name} starts`)
    return member
  }

  kill({ process }: Member): void {
    if (process.state === 'killed') return
    this.options.note(`${process.name} is killed`)
    process.kill()
  }

  /** Pauses a worker for some time, then resumes it. */
  pause({ process }: Member, ms: number): void {
    const { note, schedule } = this.options
    if (process.state !== 'running') return
    note(`${process.name} is paused for ${Math.round(ms)} ms`)
    process.pause(schedule.now)
    schedule.after(ms, () => {
      if (process.state !== 'paused') return
      note(`${process.name} resumes`)
      process.resume(schedule.now)
    })
  }

  /** Wakes one worker, as a commit in the same process does. */
  wakeOne(): void {
    const { running } = this
    if (running.length > 0) this.options.random.pick(running).worker.wake()
  }
}

function randomSkew(random: SeededRandom): Skew {
  return {
    offsetMs: random.between(-DAY_MS, DAY_MS),
    rate: random.between(0.95, 1.05),
    isFrozen: random.chance(0.2),
    isSuspended: random.chance(0.5),
    jumpMs: random.chance(0.5) ? random.between(-DAY_MS, DAY_MS) : 0,
    everyMs: random.between(500, 20_000),
  }
}

/** Passes each log line on instead of writing it. */
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
