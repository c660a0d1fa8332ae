import { createHash } from 'node:crypto'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Vault } from '#runtime/sealing/vault.ts'
import { asError } from '#edge/as-error.ts'
import { judgeFacts } from '../invariants/check-invariants.ts'
import { checkTexts } from '../invariants/canaries.ts'
import type { Facts } from '../invariants/facts.ts'
import { readJournal } from '../invariants/journal.ts'
import { readState } from '../invariants/state.ts'
import type { Violation } from '../suite.ts'
import { BUNDLES, WRITABLE } from './bundles.ts'
import type { BundleName } from './bundles.ts'
import type { SimDatabase } from './database.ts'
import { Faults } from './faults.ts'
import { Fleet } from './fleet.ts'
import type { Clocks, Member } from './fleet.ts'
import type { Flight } from './flights.ts'
import { LEASE_MS } from './lease.ts'
import { outcomeOf } from './outcome.ts'
import { Persons } from './person.ts'
import type { View } from './person.ts'
import { CANARY, Plugins } from './plugins.ts'
import { SeededRandom } from '../seeded-random.ts'
import { Schedule } from './schedule.ts'

export interface HistoryOptions {
  seed: number
  database: SimDatabase
  vault: Vault
  /** Whether the clocks of processes are right, or only their wall time is wrong; default: as the seed says. */
  clocks?: Clocks
  /** Numbers of faults that are left out. */
  without?: ReadonlySet<number>
}

export interface History {
  seed: number
  violations: Violation[]
  trace: string[]
  /** The same for the same history. */
  hash: string
  /** What became of the operations, without anything of time and chance. */
  outcome: string
  flights: Flight[]
  facts: Facts | null
  faults: number
  refusedAsStale: number
  virtualMs: number
  statements: number
}

const START = Date.parse('2026-03-01T00:00:00Z')
/** For how long things go wrong. */
const STORM_MS = 90_000
/** In which everything must have come to an end when nothing goes wrong any more. */
const BOUND_MS = 120_000
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Lives one history: people, processes, plugins and everything that goes wrong, all of it from the seed. */
export async function liveHistory(options: HistoryOptions): Promise<History> {
  const { seed, database, vault } = options
  const random = new SeededRandom(seed).fork('history')
  const schedule = new Schedule(START + (seed % 1000) * 1_000, random.fork('schedule'), () =>
    database.isBusy(),
  )
  const begun = { at: schedule.now, statements: database.statements }
  const trace: string[] = []
  const logged: string[] = []
  const note = (text: string): void => {
    trace.push(`${((schedule.now - begun.at) / 1000).toFixed(3).padStart(9)}  ${text}`)
  }
  const faults = new Faults({
    random: random.fork('faults'),
    schedule,
    note,
    ...(options.without && { without: options.without }),
  })
  const plugins = new Plugins(WRITABLE, () => schedule.now)
  const flights: Flight[] = []
  const scenario = new Scenario(schedule, random.fork('scenario'), faults)
  const fleet = new Fleet({
    schedule,
    database,
    faults,
    random: random.fork('fleet'),
    vault,
    clocks: options.clocks ?? random.pick(['right', 'wrong', 'wrong']),
    note,
    log: (text) => logged.push(text),
    network: {
      schedule,
      random: random.fork('network'),
      plugins,
      plan: (_, request) => faults.planCall(request),
      sent: (flight) => {
        flights.push(flight)
        note(
          `${flight.actor} calls ${flight.pluginId} ${flight.stage} of ${flight.operationId}: ${flight.plan.fault}`,
        )
        scenario.begin(fleet, flight)
      },
      answered: (flight, result) => {
        const what = result.kind === 'response' ? `status ${result.status}` : result.reason
        note(`${flight.actor} hears ${what} of ${flight.pluginId} ${flight.stage} of ${flight.operationId}`)
        faults.answered(flight)
      },
    },
  })
  const scope: Scope = { environmentKey: 'sim', applicationRuntimeId: `seed-${seed}`, workspaceId: 1 }
  const people = new Persons({
    schedule,
    database,
    fleet,
    random: random.fork('people'),
    scope,
    note,
    isBadLine: () => !faults.isOver,
  })
  const life = new Life({ schedule, random: random.fork('life'), faults, fleet, people, note })

  let ended: 'running' | 'done' | Error = 'running'
  life.run().then(
    () => (ended = 'done'),
    (error: unknown) => (ended = asError(error)),
  )
  const latest = schedule.now + STORM_MS + 3 * BOUND_MS
  const violations: Violation[] = []
  let facts: Facts | null = null
  try {
    await schedule.runUntil(() => ended !== 'running' || schedule.now > latest)
    if (isError(ended)) throw ended
    if (ended === 'running') violations.push({ promise: 'I10', seen: 'the history does not come to an end' })
    const view = await people.look()
    const scopes = view.scopeId === null ? [] : [view.scopeId]
    facts = {
      deliveries: plugins.deliveries,
      writes: people.writes,
      isQuiet: true,
      state: await readState(database, scopes),
      journal: await readJournal(database, scopes),
    }
    violations.push(...judgeFacts(facts), ...life.violations, ...checkTexts(CANARY, 'the log', logged))
  } catch (error) {
    violations.push({
      promise: 'the history is lived',
      seen: error instanceof Error ? String(error.stack) : String(error),
    })
  }
  const text = anonymous(trace.join('\n'))
  return {
    seed,
    violations: violations.map((violation) => ({ ...violation, seed })),
    trace: text.split('\n'),
    hash: createHash('sha256').update(text).digest('hex'),
    outcome: facts === null ? '' : outcomeOf(facts),
    flights,
    facts,
    faults: faults.drawn,
    refusedAsStale: plugins.refusedAsStale,
    virtualMs: schedule.now - begun.at,
    statements: database.statements - begun.statements,
  }
}

const isError = (value: unknown): value is Error => value instanceof Error

/** Ids by their first appearance. */
function anonymous(text: string): string {
  const names = new Map<string, string>()
  return text.replaceAll(UUID, (id) => {
    const name = names.get(id) ?? `#${names.size + 1}`
    names.set(id, name)
    return name
  })
}

/** Brings a worker into trouble while it waits for an answer. */
class Scenario {
  private readonly schedule: Schedule
  private readonly random: SeededRandom
  private readonly faults: Faults

  constructor(schedule: Schedule, random: SeededRandom, faults: Faults) {
    this.schedule = schedule
    this.random = random
    this.faults = faults
  }

  begin(fleet: Fleet, flight: Flight): void {
    const { random, schedule } = this
    const member = fleet.members.find(({ actor }) => actor.name === flight.actor)
    if (member === undefined || flight.plan.ownership === 'held') return
    const lapse = LEASE_MS + random.between(50, 1_500)
    schedule.after(random.between(0, 3), () => {
      if (this.faults.isOver || flight.answeredAt !== null) return
      switch (flight.plan.ownership) {
        case 'held':
          return
        case 'paused':
          return fleet.pause(member, random.between(20, LEASE_MS / 2))
        case 'taken':
          return fleet.pause(member, lapse + random.between(500, 8_000))
        case 'expired': {
          // nobody else is awake to take it
          for (const other of fleet.alive) if (other !== member) fleet.pause(other, lapse + 800)
          return fleet.pause(member, lapse)
        }
        case 'killed':
          return this.replace(fleet, member)
      }
    })
  }

  private replace(fleet: Fleet, member: Member): void {
    fleet.kill(member)
    this.schedule.after(this.random.between(50, 6_000), () => void fleet.startWorker())
  }
}

interface Living {
  schedule: Schedule
  random: SeededRandom
  faults: Faults
  fleet: Fleet
  people: Persons
  note: (text: string) => void
}

/** What people do in one history, and how it ends. */
class Life {
  readonly violations: Violation[] = []
  private readonly living: Living
  private left: number

  constructor(living: Living) {
    this.living = living
    this.left = 4 + living.random.below(5)
  }

  async run(): Promise<void> {
    const { schedule, random, fleet, faults, note } = this.living
    const workers = 2 + random.below(3)
    for (let count = 0; count < workers; count++) fleet.startWorker()
    const stormEnd = schedule.now + STORM_MS
    // 1 or 2 installations, of all kinds
    const bundles: BundleName[] = random.chance(0.5) ? ['orders'] : ['equals']
    if (random.chance(0.5)) bundles.push(random.chance(0.5) ? 'single' : 'plain')
    for (const bundle of bundles) await this.living.people.install(bundle)
    this.left -= bundles.length
    while (this.left > 0 && schedule.now < stormEnd) {
      await schedule.wait(random.between(200, 4_000))
      this.mend()
      await this.act(await this.living.people.look())
    }
    await this.calm(stormEnd)
    faults.isOver = true
    note('nothing goes wrong any more')
    for (const { actor } of fleet.members) actor.wake(schedule.now)
    if (fleet.alive.length < 2) fleet.startWorker()
    await this.comesToAnEnd('at the end')
    if (random.chance(0.3)) await this.cleanUp()
    await this.stop()
  }

  /** Somebody always looks after the processes. */
  private mend(): void {
    const { fleet } = this.living
    if (fleet.members.every(({ actor }) => actor.state === 'dead')) fleet.startWorker()
  }

  /** Sometimes things go wrong until all is over, sometimes they end in the middle. */
  private async calm(stormEnd: number): Promise<void> {
    const { schedule, random, people } = this.living
    const until = random.chance(0.7) ? stormEnd : schedule.now + random.between(0, 10_000)
    while (schedule.now < until) {
      const view = await people.look()
      if (view.installations.every(({ claim }) => claim === null || claim.state === 'FAILED')) return
      await schedule.wait(2_000)
      this.mend()
    }
  }

  private async act(view: View): Promise<void> {
    const { random, people } = this.living
    const failed = view.installations.filter(({ claim }) => claim?.state === 'FAILED')
    const free = view.installations.filter(({ claim, state }) => claim === null && state === 'ACTIVE')
    const busy = view.installations.filter(({ claim }) => claim !== null && claim.state !== 'FAILED')
    const [one] = failed.length > 0 ? [random.pick(failed)] : []
    if (one?.claim) {
      const { claim } = one
      this.left -= 1
      const way = random.weighted({ retry: 6, takeOver: 3, both: 2 })
      if (way === 'retry') await people.retry(claim)
      else if (way === 'takeOver') await people.takeOver(claim)
      else await Promise.all([people.retry(claim), people.takeOver(claim)])
      return
    }
    if (free.length > 0) {
      const target = random.pick(free)
      this.left -= 1
      const way = random.weighted({ save: 7, saves: 3, upgrade: 6, detach: 3, race: 1 })
      switch (way) {
        case 'save':
          await people.save(
            view,
            free.map(({ bundle }) => bundle),
          )
          return
        case 'saves': {
          // clients with the same snapshot, of which one wins; a loser looks again and saves once more
          const saves = await Promise.all([1, 2, 3].map(() => people.save(view, [target.bundle])))
          if (saves.some(({ told }) => told === 'refused'))
            await people.save(await people.look(), [target.bundle])
          return
        }
        case 'upgrade':
          await people.upgrade(target)
          return
        case 'detach':
          await people.detach(target)
          return
        case 'race':
          await Promise.all([people.detach(target), people.save(view, [target.bundle])])
          return
      }
    }
    const gone = view.installations.filter(({ state }) => state === 'DETACHED')
    if (busy.length === 0 && gone.length > 0) {
      this.left -= 1
      await people.install(random.pick(gone).bundle)
      return
    }
    // asks for what cannot be now
    if (busy.length > 0 && random.chance(0.1)) {
      const target = random.pick(busy)
      if (random.chance(0.5)) await people.save(view, [target.bundle])
      else await people.detach(target)
    }
  }

  private async comesToAnEnd(when: string): Promise<View> {
    const { schedule, people } = this.living
    const bound = schedule.now + BOUND_MS
    for (;;) {
      const view = await people.look()
      const open = view.installations.filter(({ claim }) => claim !== null && claim.state !== 'FAILED')
      if (open.length === 0) return view
      if (schedule.now > bound) {
        this.violations.push({ promise: 'I10', seen: `${open.length} operations do not end ${when}` })
        return view
      }
      await schedule.wait(1_000)
    }
  }

  /** Everything can be detached, whatever was before. */
  private async cleanUp(): Promise<void> {
    const { people, note } = this.living
    note('everything is detached')
    for (let round = 0; round < 3; round++) {
      const view = await people.look()
      const standing = view.installations.filter(({ state }) => state !== 'DETACHED')
      if (standing.length === 0) return
      for (const installation of standing) {
        if (installation.claim !== null) await people.takeOver(installation.claim)
        else await people.detach(installation)
      }
      await this.comesToAnEnd('in the clean-up')
    }
    const left = (await people.look()).installations.filter(({ state }) => state !== 'DETACHED')
    if (left.length > 0)
      this.violations.push({ promise: 'I10', seen: `${left.length} installations cannot be detached` })
  }

  /** Workers stop when they are told to, and nothing of them is left (I19). */
  private async stop(): Promise<void> {
    const { fleet } = this.living
    const alive = fleet.alive
    await Promise.all(alive.map(({ worker }) => worker.stop()))
    for (const { actor, clock } of alive)
      if (clock.timers > 0)
        this.violations.push({
          promise: 'I19',
          seen: `${actor.name} has stopped and left ${clock.timers} timers`,
        })
  }
}

/** All that is there to be installed. */
export const MANIFESTS = Object.values(BUNDLES).flat()
