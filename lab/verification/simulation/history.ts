import { createHash } from 'node:crypto'
import type { Facts } from '../invariants/facts.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import type { SimulatedCall } from './calls.ts'
import { Faults } from './faults.ts'
import { LEASE_MS } from './fleet.ts'
import type { Clocks, Fleet, Member } from './fleet.ts'
import { outcomeOf, SimulatedRun } from './run.ts'
import { LONGEST_MS, Scenario } from './scenario.ts'
import type { Schedule } from './schedule.ts'
import type { Simulation } from './simulation.ts'

export interface HistoryOptions {
  seed: number
  /** Default: determined by the seed. */
  clocks?: Clocks
  /** Numbers of faults that are left out. */
  without?: ReadonlySet<number>
}

export interface History {
  seed: number
  violations: Violation[]
  trace: string[]
  /** Equal for equal histories. */
  hash: string
  /** What became of the operations, independent of time and random choices. */
  outcome: string
  calls: SimulatedCall[]
  facts: Facts | null
  faults: number
  staleCalls: number
  virtualMs: number
  statements: number
}

const START = Date.parse('2026-03-01T00:00:00Z')

/** Runs one history: users, processes, plugins and faults, all determined by the seed. */
export async function runHistory(simulation: Simulation, options: HistoryOptions): Promise<History> {
  const { seed, without = new Set<number>() } = options
  const { database } = simulation
  const random = new SeededRandom(seed).fork('history')
  const start = START + (seed % 1000) * 1_000
  const run = new SimulatedRun(simulation, { name: `seed-${seed}`, start, random })
  const { schedule, note, plugins } = run
  const statements = database.statements
  const faults = new Faults({ random: random.fork('faults'), schedule, note, without })
  const leases = new LeaseTrouble(schedule, random.fork('scenario'), faults)
  const calls: SimulatedCall[] = []
  const { fleet, users } = run.open({
    faults,
    clocks: options.clocks ?? random.pick(['right', 'wrong', 'wrong']),
    isLossy: () => !faults.isOver,
    calls: {
      plan: (_, request) => faults.planCall(request),
      onSent: (call) => {
        calls.push(call)
        const { worker, pluginId, stage, operationId, plan } = call
        note(`${worker} calls ${pluginId} ${stage} of ${operationId}: ${plan.fault}`)
        leases.cause(fleet, call)
      },
      onAnswer: (call, result) => {
        const what = result.kind === 'response' ? `status ${result.status}` : result.reason
        note(`${call.worker} gets ${what} for ${call.pluginId} ${call.stage} of ${call.operationId}`)
        faults.onAnswer(call)
      },
    },
  })
  const scenario = new Scenario({ schedule, random: random.fork('life'), faults, fleet, users, note })
  const { violations, facts } = await run.complete(scenario.run(), users, LONGEST_MS)
  violations.push(...scenario.violations)
  const text = withoutIds(run.trace.join('\n'))
  return {
    seed,
    violations: violations.map((violation) => ({ ...violation, seed })),
    trace: text.split('\n'),
    hash: createHash('sha256').update(text).digest('hex'),
    outcome: facts === null ? '' : outcomeOf(facts),
    calls,
    facts,
    faults: faults.drawn,
    staleCalls: plugins.staleCalls,
    virtualMs: schedule.now - start,
    statements: database.statements - statements,
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Replaces ids by the number of their first appearance. */
function withoutIds(text: string): string {
  const names = new Map<string, string>()
  return text.replaceAll(UUID, (id) => {
    const name = names.get(id) ?? `#${names.size + 1}`
    names.set(id, name)
    return name
  })
}

/** Pauses or kills workers while they wait for a response. */
class LeaseTrouble {
  private readonly schedule: Schedule
  private readonly random: SeededRandom
  private readonly faults: Faults

  constructor(schedule: Schedule, random: SeededRandom, faults: Faults) {
    this.schedule = schedule
    this.random = random
    this.faults = faults
  }

  cause(fleet: Fleet, call: SimulatedCall): void {
    const { random, schedule } = this
    const worker = fleet.members.find(({ process }) => process.name === call.worker)
    if (worker === undefined || call.plan.lease === 'held') return
    const lapseMs = LEASE_MS + random.between(50, 1_500)
    schedule.after(random.between(0, 3), () => {
      if (this.faults.isOver || call.answeredAt !== null) return
      switch (call.plan.lease) {
        case 'held':
          return
        case 'paused':
          return fleet.pause(worker, random.between(20, LEASE_MS / 2))
        case 'taken':
          return fleet.pause(worker, lapseMs + random.between(500, 8_000))
        case 'expired': {
          // no other worker runs that could take the operation
          for (const other of fleet.running) if (other !== worker) fleet.pause(other, lapseMs + 800)
          return fleet.pause(worker, lapseMs)
        }
        case 'killed':
          return this.replace(fleet, worker)
      }
    })
  }

  private replace(fleet: Fleet, worker: Member): void {
    fleet.kill(worker)
    this.schedule.after(this.random.between(50, 6_000), () => void fleet.startWorker())
  }
}
