import type { BundleName } from '../bundles.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import type { Faults } from './faults.ts'
import type { Fleet } from './fleet.ts'
import type { Schedule } from './schedule.ts'
import type { InstallationView, ScopeView, Users } from './users.ts'

/** How long faults are injected. */
const FAULTS_MS = 90_000
/** The time limit within which everything must end once faults are over. */
const BOUND_MS = 120_000
/** No scenario takes longer. */
export const LONGEST_MS = FAULTS_MS + 3 * BOUND_MS

interface Parts {
  schedule: Schedule
  random: SeededRandom
  faults: Faults
  fleet: Fleet
  users: Users
  note: (text: string) => void
}

const isFailed = ({ claim }: InstallationView): boolean => claim?.state === 'FAILED'
const isFree = ({ claim, state }: InstallationView): boolean => claim === null && state === 'ACTIVE'
const isBusy = ({ claim }: InstallationView): boolean => claim !== null && claim.state !== 'FAILED'
const isDetached = ({ state }: InstallationView): boolean => state === 'DETACHED'

/** What the users do in one history, and how it ends. */
export class Scenario {
  readonly violations: Violation[] = []
  private readonly parts: Parts
  private actionsLeft: number

  constructor(parts: Parts) {
    this.parts = parts
    this.actionsLeft = 4 + parts.random.below(5)
  }

  async run(): Promise<void> {
    const { schedule, random, fleet, faults, users, note } = this.parts
    const workers = 2 + random.below(3)
    for (let count = 0; count < workers; count++) fleet.startWorker()
    const faultsEnd = schedule.now + FAULTS_MS
    // one or two installations
    const bundles: BundleName[] = random.chance(0.5) ? ['orders'] : ['equals']
    if (random.chance(0.5)) bundles.push(random.chance(0.5) ? 'single' : 'plain')
    for (const bundle of bundles) await users.install(bundle)
    this.actionsLeft -= bundles.length
    while (this.actionsLeft > 0 && schedule.now < faultsEnd) {
      await schedule.wait(random.between(200, 4_000))
      this.ensureWorker()
      await this.act(await users.look())
    }
    await this.waitWithFaults(faultsEnd)
    faults.isOver = true
    note('faults are over')
    for (const { process } of fleet.members) process.resume(schedule.now)
    if (fleet.running.length < 2) fleet.startWorker()
    await this.awaitEnd('at the end')
    if (random.chance(0.3)) await this.detachAll()
    await this.stopWorkers()
  }

  private ensureWorker(): void {
    const { fleet } = this.parts
    if (fleet.members.every(({ process }) => process.state === 'killed')) fleet.startWorker()
  }

  /** Faults last until all operations have ended, or stop at a random moment before. */
  private async waitWithFaults(faultsEnd: number): Promise<void> {
    const { schedule, random, users } = this.parts
    const until = random.chance(0.7) ? faultsEnd : schedule.now + random.between(0, 10_000)
    while (schedule.now < until) {
      const { installations } = await users.look()
      if (!installations.some(isBusy)) return
      await schedule.wait(2_000)
      this.ensureWorker()
    }
  }

  private async act(view: ScopeView): Promise<void> {
    const { random, users } = this.parts
    const failed = view.installations.filter(isFailed)
    const free = view.installations.filter(isFree)
    const busy = view.installations.filter(isBusy)
    const claim = failed.length > 0 ? random.pick(failed).claim : null
    if (claim !== null) {
      this.actionsLeft -= 1
      const action = random.weighted({ retry: 6, takeOver: 3, both: 2 })
      if (action === 'retry') await users.retry(claim)
      else if (action === 'takeOver') await users.takeOver(claim)
      else await Promise.all([users.retry(claim), users.takeOver(claim)])
      return
    }
    if (free.length > 0) {
      this.actionsLeft -= 1
      return this.change(random.pick(free), free, view)
    }
    const detached = view.installations.filter(isDetached)
    if (busy.length === 0 && detached.length > 0) {
      this.actionsLeft -= 1
      await users.install(random.pick(detached).bundle)
      return
    }
    // requests that must be rejected
    if (busy.length > 0 && random.chance(0.1)) {
      const target = random.pick(busy)
      if (random.chance(0.5)) await users.save(view, [target.bundle])
      else await users.detach(target)
    }
  }

  private async change(
    target: InstallationView,
    free: readonly InstallationView[],
    view: ScopeView,
  ): Promise<void> {
    const { random, users } = this.parts
    const targetBundles = [target.bundle]
    switch (random.weighted({ save: 7, saves: 3, upgrade: 6, detach: 3, race: 1 })) {
      case 'save': {
        const bundles = free.map(({ bundle }) => bundle)
        await users.save(view, bundles)
        return
      }
      case 'saves': {
        // clients with the same snapshot, one of which wins; a loser reads again and saves once more
        const saves = await Promise.all([1, 2, 3].map(() => users.save(view, targetBundles)))
        if (saves.some(({ result }) => result === 'refused'))
          await users.save(await users.look(), targetBundles)
        return
      }
      case 'upgrade':
        await users.upgrade(target)
        return
      case 'detach':
        await users.detach(target)
        return
      case 'race':
        await Promise.all([users.detach(target), users.save(view, targetBundles)])
    }
  }

  private async awaitEnd(when: string): Promise<void> {
    const { schedule, users } = this.parts
    const bound = schedule.now + BOUND_MS
    for (;;) {
      const busy = (await users.look()).installations.filter(isBusy)
      if (busy.length === 0) return
      if (schedule.now > bound) {
        this.violations.push({ promise: 'I10', seen: `${busy.length} operations do not end ${when}` })
        return
      }
      await schedule.wait(1_000)
    }
  }

  /** Everything can be detached, whatever happened before. */
  private async detachAll(): Promise<void> {
    const { users, note } = this.parts
    note('everything is detached')
    const installed = async (): Promise<InstallationView[]> =>
      (await users.look()).installations.filter((one) => !isDetached(one))
    for (let round = 0; round < 3; round++) {
      const left = await installed()
      if (left.length === 0) return
      for (const installation of left) {
        if (installation.claim !== null) await users.takeOver(installation.claim)
        else await users.detach(installation)
      }
      await this.awaitEnd('in the clean-up')
    }
    const left = await installed()
    if (left.length > 0)
      this.violations.push({ promise: 'I10', seen: `${left.length} installations cannot be detached` })
  }

  /** Workers stop on request, and leave no timers (I19). */
  private async stopWorkers(): Promise<void> {
    const { running } = this.parts.fleet
    await Promise.all(running.map(({ worker }) => worker.stop()))
    for (const { process, clock } of running)
      if (clock.timers > 0)
        this.violations.push({
          promise: 'I19',
          seen: `${process.name} has stopped and left ${clock.timers} timers`,
        })
  }
}
