import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/protocol/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { ClientWrite } from '../invariants/evidence.ts'
import { readJson } from '../invariants/reader.ts'
import { BUNDLES } from './bundles.ts'
import type { BundleName } from './bundles.ts'
import { readAccepted, serve } from './client.ts'
import type { Asked } from './client.ts'
import type { SimDatabase } from './database.ts'
import type { Fleet } from './fleet.ts'
import { CANARY } from './plugins.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Schedule } from './schedule.ts'

/** What people see of a scope. */
export interface View {
  snapshotVersion: number
  scopeId: number | null
  installations: {
    bundleInstallId: string
    bundle: BundleName
    state: 'NOT_INSTALLED' | 'ACTIVE' | 'DETACHED'
    version: string | null
    claim: { operationId: string; state: OperationState; run: number; type: string } | null
  }[]
}

const VIEW = `
  select json_build_object(
    'scopeId', scope.scope_id, 'snapshotVersion', coalesce(scope.snapshot_version, 0),
    'installations', (select coalesce(json_agg(json_build_object(
        'bundleInstallId', i.bundle_install_id, 'bundle', i.bundle_id, 'state', i.state, 'version', i.version,
        'claim', (select json_build_object('operationId', operation_id, 'state', o.state, 'run', run,
            'type', operation_type)
          from runtime.operation o where o.bundle_install_id = i.bundle_install_id and holds_claim))
        order by i.created_at, i.bundle_install_id), '[]')
      from runtime.installation i where i.scope_id = scope.scope_id))::text as json
  from (select 1) one left join runtime.scope scope
    on environment_key = $1 and application_runtime_id = $2 and workspace_id = $3`

export interface People {
  schedule: Schedule
  database: SimDatabase
  fleet: Fleet
  random: SeededRandom
  scope: Scope
  note: (text: string) => void
  /** Whether requests and answers are lost on their way. */
  isBadLine: () => boolean
}

/** People at the console: what they ask for, and what they were told of it. */
export class Persons {
  readonly writes: ClientWrite[] = []
  private readonly people: People
  private keys = 0

  constructor(people: People) {
    this.people = people
  }

  async look(): Promise<View> {
    const { database, scope } = this.people
    const values = [scope.environmentKey, scope.applicationRuntimeId, scope.workspaceId]
    // the statement makes just this shape
    return (await readJson(database, VIEW, values)) as View
  }

  install(bundle: BundleName): Promise<ClientWrite> {
    const [{ bundle: ref, version }] = BUNDLES[bundle]
    const properties = {
      [`dev/${bundle}/MODULE/core`]: {
        name: wrapData('first'),
        password: { ...wrapData(`${CANARY} ${bundle}`), isSensitive: true as const },
      },
    }
    const body = { scope: this.people.scope, bundle: ref, targetVersion: version, properties }
    return this.ask({ kind: 'INSTALL', input: { params: {}, body } })
  }

  save(view: View, bundles: readonly BundleName[]): Promise<ClientWrite> {
    const { random, scope } = this.people
    const changes = Object.fromEntries(
      bundles.map((bundle) => [
        `dev/${bundle}/MODULE/core`,
        {
          name: wrapData(`name ${random.below(5)}`),
          ...(random.chance(0.3) && { seats: wrapData(random.below(100)) }),
          ...(random.chance(0.2) && {
            password: { ...wrapData(`${CANARY} ${random.below(9)}`), isSensitive: true as const },
          }),
        },
      ]),
    )
    const body = { snapshotVersion: Math.max(1, view.snapshotVersion), changes }
    return this.ask({ kind: 'CONFIGURE', input: { params: scope, body } }, view)
  }

  upgrade({ bundleInstallId, bundle, version }: View['installations'][number]): Promise<ClientWrite> {
    const [first, second] = BUNDLES[bundle]
    const targetVersion = version === first.version ? second.version : first.version
    return this.ask({ kind: 'UPGRADE', input: { params: { bundleInstallId }, body: { targetVersion } } })
  }

  detach({ bundleInstallId }: View['installations'][number]): Promise<ClientWrite> {
    return this.ask({ kind: 'DETACH', input: { params: { bundleInstallId }, body: { reason: 'done' } } })
  }

  retry({ operationId, run }: { operationId: string; run: number }): Promise<ClientWrite> {
    return this.ask({ kind: 'RETRY', input: { params: { operationId }, body: { run } } })
  }

  takeOver({ operationId, run }: { operationId: string; run: number }): Promise<ClientWrite> {
    const body = { run, reason: 'cleaning up' }
    return this.ask({ kind: 'TAKEOVER', input: { params: { operationId }, body } })
  }

  /** Asks until there is an answer, with the same key; gives up only after many times. */
  private async ask(asked: Asked, view?: View): Promise<ClientWrite> {
    const { schedule, random, note } = this.people
    const key = `${this.people.scope.applicationRuntimeId}-key-${++this.keys}`
    const requestIds: string[] = []
    const answers: string[] = []
    let told: JsonObject | null = null
    for (let times = 0; times < 12 && told === null; times++) {
      const requestId = `${key}-${times}`
      requestIds.push(requestId)
      told = await this.send(asked, { key, requestId })
      if (told !== null) {
        answers.push(JSON.stringify(told))
        // sometimes it asks once more, to see that it is told the same
        if (random.chance(0.1) && this.people.isBadLine()) told = null
      }
      if (told === null) await schedule.wait(random.between(100, 1_500))
    }
    const write = conclude({ asked, view, requestIds, answers })
    note(`${asked.kind} ${key}: ${write.told}${write.told === 'refused' ? ` ${codeOf(answers[0])}` : ''}`)
    this.writes.push(write)
    return write
  }

  /** Null where no answer comes. */
  private async send(asked: Asked, as: { key: string; requestId: string }): Promise<JsonObject | null> {
    const { random, fleet, schedule } = this.people
    await schedule.wait(random.between(1, 10))
    if (this.people.isBadLine() && random.chance(0.05)) return null
    const { actor, world } = fleet.server()
    const served = new Promise<JsonObject | null>((resolve) => {
      actor.whenGone(() => resolve(null))
      serve(world, asked, as).then(resolve, (error: unknown) => {
        this.people.note(`${actor.name} cannot answer: ${String(error)}`)
        resolve(null)
      })
    })
    const answer = await served
    if (answer !== null && random.chance(0.8)) schedule.after(1, () => fleet.wakeOne())
    await schedule.wait(random.between(1, 10))
    return this.people.isBadLine() && random.chance(0.05) ? null : answer
  }
}

function codeOf(answer: string | undefined): string {
  return answer === undefined ? '' : String((JSON.parse(answer) as { errorCode?: unknown }).errorCode)
}

function conclude(of: {
  asked: Asked
  view: View | undefined
  requestIds: string[]
  answers: string[]
}): ClientWrite {
  const { asked, view, requestIds, answers } = of
  const common = { kind: asked.kind, requestIds, answers, operations: [] }
  const [first] = answers
  if (first === undefined) return { ...common, told: 'unknown' }
  const envelope = JSON.parse(first) as JsonObject
  if (envelope['errorCode'] !== '0') return { ...common, told: 'refused' }
  const { operations, snapshotVersion } = readAccepted(envelope['data'] ?? null)
  const scopeId = view?.scopeId ?? null
  return {
    ...common,
    told: 'accepted',
    operations,
    ...(snapshotVersion !== null &&
      scopeId !== null && {
        snapshot: { scopeId, version: snapshotVersion, base: view?.snapshotVersion ?? 0 },
      }),
  }
}
