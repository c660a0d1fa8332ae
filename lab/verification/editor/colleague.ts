import { ConsoleFailure } from '#bff/failure.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { mira } from '../../../demo/people.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { System } from '../../../e2e/harness/system.ts'
import { fieldOf, MAIN } from './bundle.ts'
import { anyValue, changePart, hasParts, type Value } from './values.ts'

const CONFIGURATION = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const
const BUSY = new Set(['CONFIGURATION_SNAPSHOT_STALE', 'OPERATION_IN_PROGRESS', 'OPERATION_CLAIM_HELD'])
const MAX_ATTEMPTS = 200
const RETRY_DELAY_MS = 100
/** The longest that a colleague's operation takes; less than the time limit of the plugin. */
const MAX_OPERATION_MS = 1500

/** Another person, who saves through the API. */
export class Colleague {
  private last: Promise<unknown> = Promise.resolve()
  private readonly system: System
  private readonly scope: Scope
  private readonly services: readonly string[]

  constructor(system: System, scope: Scope, services: readonly string[]) {
    this.system = system
    this.scope = scope
    this.services = services
  }

  /**
   * Saves these properties after the previous save has completed. `mine` gives the person's own edits: sometimes the colleague
   * saves the same value, and often one that differs from the saved one (`now`) in one part. Resolves with a description.
   */
  save(
    properties: readonly string[],
    mine: (property: string) => Value | undefined,
    now: (property: string) => Value,
    random: SeededRandom,
  ): Promise<string> {
    const values = properties.map((property): [string, Value] => {
      const same = mine(property)
      const { kind } = fieldOf(property)
      const part =
        hasParts(kind) && random.chance(0.7) ? changePart(kind, now(property), random, this.services) : null
      const value =
        same !== undefined && random.chance(0.25) ? same : (part ?? anyValue(kind, random, this.services))
      return [property, value]
    })
    const delayMs = random.chance(0.4) ? random.below(MAX_OPERATION_MS) : 0
    const writes = random.chance(0.15) ? random.pick(['tenant one', 'tenant two']) : null
    const saving = this.last.then(() => this.send(values, { delayMs, writes }))
    this.last = saving.catch(() => undefined)
    return saving
  }

  /** Waits until no save and no operation is in progress. */
  async waitUntilIdle(): Promise<void> {
    await this.last
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { resources } = await this.read()
      if (Object.values(resources).every(({ claim }) => claim === null)) return
      await pause()
    }
    throw new Error('An operation of the trial did not complete')
  }

  private read() {
    return this.system.call(mira, `GET ${CONFIGURATION}`, { params: this.scope })
  }

  private async send(
    values: readonly [string, Value][],
    { delayMs, writes }: { delayMs: number; writes: string | null },
  ) {
    const changes: Record<string, Record<string, Value>> = {}
    for (const [property, value] of values) {
      const { locator } = fieldOf(property)
      changes[locator] = { ...changes[locator], [property]: value }
    }
    if (delayMs > 0 || writes !== null)
      await this.system.script.add({
        when: { workspaceId: this.scope.workspaceId, stage: 'BEFORE_RESOURCES' },
        times: 1,
        delayMs,
        behaviour:
          writes === null
            ? { kind: 'apply' }
            : {
                kind: 'write',
                writes: [
                  { locator: MAIN, property: 'tenant', value: writes, isSensitive: false, as: 'data' },
                ],
              },
      })
    const description = `${values.map(([property, value]) => `${property} = ${JSON.stringify(value)}`).join(', ')} (${delayMs} ms)`
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { snapshotVersion } = await this.read()
      const body = { snapshotVersion, changes }
      try {
        const answer = await this.system.call(
          mira,
          `PATCH ${CONFIGURATION}`,
          { params: this.scope, body },
          crypto.randomUUID(),
        )
        return `${description} as snapshot ${answer.snapshotVersion}`
      } catch (error) {
        if (!(error instanceof ConsoleFailure && BUSY.has(error.code))) throw error
        await pause()
      }
    }
    return `${description} gave up`
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
