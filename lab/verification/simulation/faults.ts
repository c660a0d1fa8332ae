import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { CALL_FAULTS, RECORDING_FAULTS } from './calls.ts'
import type {
  CallFault,
  CallFaultGroup,
  CallPlan,
  LeaseFault,
  RecordingFaultGroup,
  SimulatedCall,
} from './calls.ts'
import type { DatabaseFaults, Interruption, TransactionFault } from './driver.ts'
import { LEASE_MS } from './fleet.ts'
import type { SimulatedProcess } from './process.ts'
import type { Schedule } from './schedule.ts'

const TRANSACTION_FAULTS: readonly TransactionFault[] = [
  'serialization-failure',
  'lost-before-commit',
  'unknown-applied',
  'unknown-not-applied',
  'time-out',
]

/** Probabilities of faults in a history. */
interface Rates {
  /** Of calls with a fault: of the call, its worker, or the transaction that records it. */
  calls: number
  /** Of all other transactions and statements. */
  others: number
  /** Of transactions that wait long for a connection. */
  waits: number
  /** Of statements before or after which the process dies. */
  deaths: number
}

const RATES: readonly Rates[] = [
  { calls: 0.75, others: 0.02, waits: 0.02, deaths: 0.002 },
  { calls: 0.6, others: 0.05, waits: 0.05, deaths: 0.003 },
  { calls: 0.85, others: 0, waits: 0, deaths: 0 },
  { calls: 0.3, others: 0.02, waits: 0.01, deaths: 0.01 },
]

const GROUP_WEIGHTS: Readonly<Record<CallFaultGroup, number>> = {
  answered: 1,
  'lost before effect': 2,
  'lost after effect': 2,
  'not now': 2,
  permanent: 2,
  invalid: 2,
  'arrives again': 2,
}
const LEASE_WEIGHTS: Readonly<Record<LeaseFault, number>> = {
  held: 6,
  paused: 5,
  expired: 6,
  taken: 6,
  killed: 1.2,
}
const RECORDING_WEIGHTS: Readonly<Record<RecordingFaultGroup, number>> = {
  kept: 4,
  undone: 6,
  'kept unknown': 6,
}
/** Balance the coverage: operation types that are rare in histories get more faults. */
const TYPE_WEIGHTS: Readonly<Record<OperationType, number>> = {
  INSTALL: 0.6,
  UPGRADE: 1.2,
  CONFIGURE: 1.2,
  DETACH: 0.8,
}

/** All faults of a history, drawn at random until `isOver` is set. */
export class Faults implements DatabaseFaults {
  isOver = false
  /** How many faults were drawn so far. */
  drawn = 0
  private readonly random: SeededRandom
  private readonly schedule: Schedule
  private readonly rates: Rates
  private readonly note: (text: string) => void
  /** Answered calls that their worker has not recorded yet. */
  private readonly unrecorded = new Set<SimulatedCall>()
  private readonly without: ReadonlySet<number>
  private calls = 0

  /** `without` contains numbers of faults to leave out, to find those that a violation needs. */
  constructor(options: {
    random: SeededRandom
    schedule: Schedule
    note: (text: string) => void
    without: ReadonlySet<number>
  }) {
    this.random = options.random
    this.schedule = options.schedule
    this.note = options.note
    this.without = options.without
    this.rates = this.random.pick(RATES)
  }

  /** For a call that is sent now. */
  planCall({ operation, stage }: LifecycleRequest): CallPlan {
    const random = this.random.fork(`call ${this.calls++}`)
    const outcome = random.weighted({ APPLIED: 8, VERIFIED: 1, NOT_APPLIED: 1 })
    const delayMs = random.between(0, 200)
    const plan: CallPlan = { fault: 'none', outcome, delayMs, lease: 'held', recording: 'ok' }
    const weight = TYPE_WEIGHTS[operation.operationType] * (stage === 'AFTER_RESOURCES' ? 1.2 : 0.9)
    if (!random.chance(this.rates.calls * weight)) return plan
    const group = random.weighted(GROUP_WEIGHTS)
    const fault = random.pick<CallFault>(CALL_FAULTS[group])
    const lease = random.weighted(LEASE_WEIGHTS)
    const recording = random.pick<TransactionFault>(RECORDING_FAULTS[random.weighted(RECORDING_WEIGHTS)])
    if (fault !== 'none' && this.draw()) plan.fault = fault
    if (lease !== 'held' && this.draw()) plan.lease = lease
    if (recording !== 'ok' && this.draw()) plan.recording = recording
    return plan
  }

  /** The worker of a call has received the response. */
  onAnswer(call: SimulatedCall): void {
    this.unrecorded.add(call)
  }

  transaction(process: SimulatedProcess, ids: ReadonlySet<string>): TransactionFault {
    const recorded = [...this.unrecorded].filter(
      (call) => call.worker === process.name && ids.has(call.operationId),
    )
    const [first] = recorded
    if (first !== undefined) {
      for (const call of recorded) {
        this.unrecorded.delete(call)
        call.recordedAt = this.schedule.now
        call.recording = first.plan.recording
      }
      if (first.plan.recording !== 'ok') this.note(`${process.name}: ${first.plan.recording}`)
      return first.plan.recording
    }
    if (this.isOver || !this.random.chance(this.rates.others) || !this.draw()) return 'ok'
    const fault = this.random.pick(TRANSACTION_FAULTS)
    this.note(`${process.name}: ${fault}`)
    return fault
  }

  interruption(process: SimulatedProcess, boundary: string): Interruption {
    if (this.isOver || !this.random.chance(this.rates.deaths) || !this.draw()) return 'none'
    const interruption = this.random.pick(['die-before', 'die-after', 'lose-answer'] as const)
    this.note(`${process.name}: ${interruption} at ${boundary}`)
    return interruption
  }

  waitMs(): number {
    // now and then all connections are in use for long, and what was true before the wait no longer is
    const isLong = !this.isOver && this.random.chance(this.rates.waits) && this.draw()
    return isLong ? this.random.between(500, 2 * LEASE_MS) : this.random.between(0, 2)
  }

  /** Whether a fault that was chosen at random really happens. */
  private draw(): boolean {
    if (this.isOver) return false
    this.drawn += 1
    return !this.without.has(this.drawn)
  }
}
