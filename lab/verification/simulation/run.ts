import type { Scope } from '#contract/protocol/scope.ts'
import { CANARY } from '../bundles.ts'
import { checkTexts } from '../invariants/canaries.ts'
import { judgeFacts } from '../invariants/check-invariants.ts'
import type { Facts } from '../invariants/facts.ts'
import { readJournal } from '../invariants/journal.ts'
import { readState } from '../invariants/state.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import { Fleet } from './fleet.ts'
import type { FleetOptions } from './fleet.ts'
import type { CallObserver } from './network.ts'
import { SimulatedPlugins } from './plugins.ts'
import { Schedule } from './schedule.ts'
import type { Simulation } from './simulation.ts'
import { Users } from './users.ts'

export interface RunOptions extends Pick<FleetOptions, 'faults' | 'clocks' | 'pollMs'> {
  calls: CallObserver
  /** Whether requests and responses of users are lost at random. */
  isLossy: () => boolean
}

/** One run of the runtime in virtual time, in a separate scope: its processes, plugins and users, and their trace. */
export class SimulatedRun {
  readonly schedule: Schedule
  readonly plugins: SimulatedPlugins
  readonly trace: string[] = []
  readonly start: number
  private readonly logged: string[] = []
  private readonly simulation: Simulation
  private readonly random: SeededRandom
  private readonly scope: Scope

  /** `name` is the run's own `applicationRuntimeId`; `start` is in milliseconds since 1970. */
  constructor(
    simulation: Simulation,
    options: { name: string; environmentKey?: string; start: number; random: SeededRandom },
  ) {
    this.simulation = simulation
    this.random = options.random
    this.scope = {
      environmentKey: options.environmentKey ?? 'sim',
      applicationRuntimeId: options.name,
      workspaceId: 1,
    }
    this.start = options.start
    this.schedule = new Schedule(options.start, options.random.fork('schedule'), () =>
      simulation.database.pendingWork(),
    )
    this.plugins = new SimulatedPlugins(() => this.schedule.now)
  }

  readonly note = (text: string): void => {
    this.trace.push(`${((this.schedule.now - this.start) / 1000).toFixed(3).padStart(9)}  ${text}`)
  }

  /** The processes, none of which runs yet, and the users. */
  open({ calls, isLossy, ...options }: RunOptions): { fleet: Fleet; users: Users } {
    const { schedule, plugins, note, random } = this
    const { database, vault } = this.simulation
    const fleet = new Fleet({
      ...options,
      schedule,
      database,
      random: random.fork('fleet'),
      vault,
      note,
      log: (text) => this.logged.push(text),
      network: { ...calls, schedule, random: random.fork('network'), plugins },
    })
    const users = new Users({
      schedule,
      database,
      fleet,
      random: random.fork('people'),
      scope: this.scope,
      note,
      isLossy,
    })
    return { fleet, users }
  }

  /** Runs a scenario to its end, which must come within `limitMs` of virtual time, and checks what it leaves behind. */
  async complete(
    scenario: Promise<void>,
    users: Users,
    limitMs = Infinity,
  ): Promise<{ violations: Violation[]; facts: Facts | null }> {
    const { database } = this.simulation
    const violations: Violation[] = []
    const report = (promise: string) => (error: unknown) =>
      violations.push({ promise, seen: error instanceof Error ? String(error.stack) : String(error) })
    let isOver = false
    void scenario.catch(report('the scenario runs')).then(() => (isOver = true))
    const latest = this.schedule.now + limitMs
    await this.schedule.runUntil(() => isOver || this.schedule.now > latest).catch(report('I10'))
    if (!isOver) violations.push({ promise: 'I10', seen: 'the run does not end' })
    const facts = await this.readFacts(users).catch((error: unknown) => {
      report('the state can be read')(error)
      return null
    })
    if (facts !== null) violations.push(...judgeFacts(facts))
    violations.push(...checkTexts(CANARY, 'the log', this.logged))
    if (violations.length > 0) await database.parkOperations()
    return { violations, facts }
  }

  private async readFacts(users: Users): Promise<Facts> {
    const { database } = this.simulation
    const { scopeId } = await users.look()
    const scopes = scopeId === null ? [] : [scopeId]
    return {
      deliveries: this.plugins.deliveries,
      writes: users.writes,
      isQuiet: true,
      state: await readState(database, scopes),
      journal: await readJournal(database, scopes),
    }
  }
}

/** The final state of the operations, independent of time and random choices. */
export function outcomeOf({ state }: Facts): string {
  const operations = state.operations.map((row) =>
    [row.bundle, row.execution_sequence, row.operation_type, row.state, row.run, row.error_code].join(' '),
  )
  return operations.toSorted().join('\n')
}
