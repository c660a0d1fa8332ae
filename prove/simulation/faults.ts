import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Actor } from './actor.ts'
import type { DbFaults, DbOutcome, Fate } from './driver.ts'
import { CALL_FAULTS, RECORDINGS } from './flights.ts'
import type { CallFault, CallPlan, FaultClass, Flight, Ownership, Recording } from './flights.ts'
import { LEASE_MS } from './lease.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Schedule } from './schedule.ts'

const OUTCOMES: readonly DbOutcome[] = [
  'serialization-failure',
  'lost-before-commit',
  'unknown-applied',
  'unknown-not-applied',
  'time-out',
]

/** How much goes wrong in a history. */
interface Weather {
  /** Of calls that something happens to: to them, to their worker, or when they are recorded. */
  troubled: number
  /** Of all other transactions and statements. */
  others: number
  /** Of transactions that wait for a connection for long. */
  crowds: number
  /** Of statements after which, or before which, the process is gone. */
  deaths: number
}

const WEATHERS: readonly Weather[] = [
  { troubled: 0.75, others: 0.02, crowds: 0.02, deaths: 0.002 },
  { troubled: 0.6, others: 0.05, crowds: 0.05, deaths: 0.003 },
  { troubled: 0.85, others: 0, crowds: 0, deaths: 0 },
  { troubled: 0.3, others: 0.02, crowds: 0.01, deaths: 0.01 },
]

const KINDS: Readonly<Record<FaultClass, number>> = {
  answered: 1,
  'lost before effect': 2,
  'lost after effect': 2,
  'not now': 2,
  'for good': 2,
  nonsense: 2,
  'arrives again': 2,
}
const HOLDS: Readonly<Record<Ownership, number>> = { held: 6, paused: 5, expired: 6, taken: 6, killed: 1.2 }
const RECORDED: Readonly<Record<Recording, number>> = { kept: 4, undone: 6, 'kept unknown': 6 }
const SELDOM: Readonly<Record<OperationType, number>> = {
  INSTALL: 0.6,
  UPGRADE: 1.2,
  CONFIGURE: 1.2,
  DETACH: 0.8,
}

/** Everything that goes wrong in a history, by chance and until it is told to stop. */
export class Faults implements DbFaults {
  isOver = false
  private readonly random: SeededRandom
  private readonly schedule: Schedule
  private readonly weather: Weather
  private readonly note: (text: string) => void
  /** Calls whose end their worker knows and has not recorded yet. */
  private readonly open = new Set<Flight>()
  /** Faults that are left out, to find out which of them a violation needs. */
  private readonly without: ReadonlySet<number>
  /** How many were asked for so far. */
  drawn = 0
  private calls = 0

  constructor(options: {
    random: SeededRandom
    schedule: Schedule
    note: (text: string) => void
    without?: ReadonlySet<number>
  }) {
    this.random = options.random
    this.schedule = options.schedule
    this.note = options.note
    this.without = options.without ?? new Set()
    this.weather = this.random.pick(WEATHERS)
  }

  /** For a call that is sent now. */
  planCall({ operation, stage }: LifecycleRequest): CallPlan {
    const { random, weather } = this
    const roll = random.fork(`call ${this.calls++}`)
    const chosen = roll.weighted({ APPLIED: 8, VERIFIED: 1, NOT_APPLIED: 1 })
    const plan: CallPlan = {
      fault: 'none',
      chosen,
      slowMs: roll.between(0, 200),
      ownership: 'held',
      database: 'ok',
    }
    // so that nothing is tried much less often than all else
    const often = SELDOM[operation.operationType] * (stage === 'AFTER_RESOURCES' ? 1.2 : 0.9)
    if (!roll.chance(weather.troubled * often)) return plan
    const kind = roll.weighted(KINDS)
    const [fault, ownership, database] = [
      roll.pick<CallFault>(CALL_FAULTS[kind]),
      roll.weighted(HOLDS),
      roll.pick<DbOutcome>(RECORDINGS[roll.weighted(RECORDED)]),
    ]
    if (fault !== 'none' && this.draws()) plan.fault = fault
    if (ownership !== 'held' && this.draws()) plan.ownership = ownership
    if (database !== 'ok' && this.draws()) plan.database = database
    return plan
  }

  /** The worker of a call knows how it ended. */
  answered(flight: Flight): void {
    this.open.add(flight)
  }

  outcome(actor: Actor, about: ReadonlySet<string>): DbOutcome {
    const recorded = [...this.open].filter(
      (flight) => flight.actor === actor.name && about.has(flight.operationId),
    )
    const [first] = recorded
    if (first !== undefined) {
      for (const flight of recorded) {
        this.open.delete(flight)
        flight.recordedAt = this.schedule.now
        flight.database = first.plan.database
      }
      if (first.plan.database !== 'ok') this.note(`${actor.name}: ${first.plan.database}`)
      return first.plan.database
    }
    if (this.isOver || !this.random.chance(this.weather.others) || !this.draws()) return 'ok'
    const outcome = this.random.pick(OUTCOMES)
    this.note(`${actor.name}: ${outcome}`)
    return outcome
  }

  fate(actor: Actor, boundary: string): Fate {
    if (this.isOver || !this.random.chance(this.weather.deaths) || !this.draws()) return 'go'
    const fate = this.random.pick(['die-before', 'die-after', 'lose-answer'] as const)
    this.note(`${actor.name}: ${fate} at ${boundary}`)
    return fate
  }

  waitMs(): number {
    // sometimes every connection is in use for long, and what was true when it was asked for is so no more
    const isCrowded = !this.isOver && this.random.chance(this.weather.crowds) && this.draws()
    return isCrowded ? this.random.between(500, 2 * LEASE_MS) : this.random.between(0, 2)
  }

  ended(): void {}

  /** Whether something that chance has chosen really happens. */
  private draws(): boolean {
    if (this.isOver) return false
    this.drawn += 1
    return !this.without.has(this.drawn)
  }
}
