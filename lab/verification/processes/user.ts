import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import { detach, install, retry, save, takeOver, upgrade } from '../actions.ts'
import type { ApiClient } from '../api-client.ts'
import { BUNDLES, coreValues } from '../bundles.ts'
import type { BundleName } from '../bundles.ts'
import type { SeededRandom } from '../seeded-random.ts'

export interface UserOptions {
  client: ApiClient
  random: SeededRandom
  scope: Scope
  /** Resolves with the operation once it matches, as events report it; the user also reads it from time to time. */
  watch(operationId: string, fits: (row: Operation) => boolean, signal: AbortSignal): Promise<Operation>
  /** Whether to start something new. */
  shouldContinue(): boolean
  /** Called for each accepted operation. */
  onStarted(): void
}

interface Installed {
  bundle: BundleName
  bundleInstallId: string
  version: string
}

const INSTALLED_BUNDLES = ['orders', 'equals'] as const
const ENDED: ReadonlySet<OperationState> = new Set(['SUCCEEDED', 'FAILED', 'TAKEN_OVER'])
const READ_EVERY_MS = 4_000
const MAX_RETRIES = 4

/** A user of one scope: installs, saves, upgrades and detaches, and retries or takes over what has failed. */
export async function runUser(options: UserOptions): Promise<void> {
  while (options.shouldContinue()) await new Session(options).run()
}

/** From the INSTALL of each bundle to its DETACH. */
class Session {
  private readonly options: UserOptions
  private installed: Installed[] = []

  constructor(options: UserOptions) {
    this.options = options
  }

  async run(): Promise<void> {
    const { random, shouldContinue } = this.options
    await Promise.all(INSTALLED_BUNDLES.map((bundle) => this.install(bundle)))
    for (let step = random.integer(2, 6); step > 0 && this.installed.length > 0 && shouldContinue(); step--) {
      const roll = random.fraction()
      const one = random.pick(this.installed)
      if (roll < 0.55) await this.save(random.chance(0.3) ? this.installed : [one])
      else if (roll < 0.8) await this.upgrade(one)
      else await this.detach(one)
    }
    for (const one of this.installed) await this.detach(one)
  }

  private async install(bundle: BundleName): Promise<void> {
    const { client, random, scope } = this.options
    const manifest = random.pick(BUNDLES[bundle])
    const operation = await install(client, scope, manifest, coreValues(bundle, random.integer(1, 1_000)))
    const { bundleInstallId } = operation.installation
    if (await this.succeeds(operation))
      this.installed.push({ bundle, bundleInstallId, version: manifest.version })
  }

  /** Saves values of one or more installations together. */
  private async save(owners: readonly Installed[]): Promise<void> {
    const { client, random, scope } = this.options
    const values = owners.map(({ bundle }) => coreValues(bundle, random.integer(1, 1_000)))
    const operations = await save(client, scope, Object.assign({}, ...values))
    await Promise.all(
      (operations ?? []).map(async (operation) => {
        if (!(await this.succeeds(operation))) this.remove(operation.installation.bundleInstallId)
      }),
    )
  }

  private async upgrade(one: Installed): Promise<void> {
    const [first, second] = BUNDLES[one.bundle]
    const { version } = one.version === first.version ? second : first
    const operation = await upgrade(this.options.client, one.bundleInstallId, version)
    if (await this.succeeds(operation)) one.version = version
    else this.remove(one.bundleInstallId)
  }

  private async detach(one: Installed): Promise<void> {
    await this.succeeds(await detach(this.options.client, one.bundleInstallId))
    this.remove(one.bundleInstallId)
  }

  private remove(bundleInstallId: string): void {
    this.installed = this.installed.filter((one) => one.bundleInstallId !== bundleInstallId)
  }

  /**
   * Waits for the end of an operation, retries it when it fails, or takes it over. False if it did not succeed itself:
   * then the installation is detached.
   */
  private async succeeds(started: Operation): Promise<boolean> {
    const { client, random, onStarted } = this.options
    onStarted()
    let operation = started
    for (let retries = 0; ;) {
      const ended = await this.end(operation)
      if (ended.state !== 'FAILED')
        return ended.state === 'SUCCEEDED' && ended.operationId === started.operationId
      if (retries++ < MAX_RETRIES && random.chance(0.7)) operation = await retry(client, ended)
      else {
        operation = await takeOver(client, ended)
        onStarted()
      }
    }
  }

  private async end({ operationId, run }: Operation): Promise<Operation> {
    const { watch, client } = this.options
    const hasEnded = (row: Operation): boolean => row.run >= run && ENDED.has(row.state)
    for (;;) {
      const waiting = new AbortController()
      const { signal } = waiting
      const row = await Promise.race([
        watch(operationId, hasEnded, signal).catch(() => null),
        sleep(READ_EVERY_MS, null, { signal }).catch(() => null),
      ])
      waiting.abort()
      if (row !== null) return row
      const read = await client.read('GET /operations/{operationId}', { params: { operationId } })
      if (hasEnded(read)) return read
    }
  }
}
