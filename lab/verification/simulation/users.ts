import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import { BUNDLES, CANARY, coreOf } from '../bundles.ts'
import type { BundleName } from '../bundles.ts'
import { clientWrite } from '../invariants/evidence.ts'
import type { ClientWrite } from '../invariants/evidence.ts'
import { readJson } from '../invariants/reader.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { serve } from './client.ts'
import type { WriteRequest } from './client.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Fleet } from './fleet.ts'
import type { Schedule } from './schedule.ts'

/** What users see of a scope. */
export interface ScopeView {
  snapshotVersion: number
  scopeId: number | null
  installations: InstallationView[]
}

export interface InstallationView {
  bundleInstallId: string
  bundle: BundleName
  state: 'NOT_INSTALLED' | 'ACTIVE' | 'DETACHED'
  version: string | null
  claim: { operationId: string; state: OperationState; run: number; type: string } | null
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

export interface UsersOptions {
  schedule: Schedule
  database: SimulatedDatabase
  fleet: Fleet
  random: SeededRandom
  scope: Scope
  note: (text: string) => void
  /** Whether requests and responses are lost at random. */
  isLossy: () => boolean
}

/** Users of the console: their writes, and the responses they got. */
export class Users {
  readonly writes: ClientWrite[] = []
  private readonly options: UsersOptions
  private keys = 0

  constructor(options: UsersOptions) {
    this.options = options
  }

  async look(): Promise<ScopeView> {
    const { database, scope } = this.options
    const values = [scope.environmentKey, scope.applicationRuntimeId, scope.workspaceId]
    // the statement builds exactly this shape
    return (await readJson(database, VIEW, values)) as ScopeView
  }

  install(bundle: BundleName): Promise<ClientWrite> {
    const [{ bundle: ref, version }] = BUNDLES[bundle]
    const properties = {
      [coreOf(bundle)]: { name: wrapData('first'), password: wrapSensitive(`${CANARY} ${bundle}`) },
    }
    const body = { scope: this.options.scope, bundle: ref, targetVersion: version, properties }
    return this.request({ kind: 'INSTALL', input: { params: {}, body } })
  }

  save(view: ScopeView, bundles: readonly BundleName[]): Promise<ClientWrite> {
    const { random, scope } = this.options
    const changes = Object.fromEntries(
      bundles.map((bundle) => [
        coreOf(bundle),
        {
          name: wrapData(`name ${random.below(5)}`),
          ...(random.chance(0.3) && { seats: wrapData(random.below(100)) }),
          ...(random.chance(0.2) && { password: wrapSensitive(`${CANARY} ${random.below(9)}`) }),
        },
      ]),
    )
    const body = { snapshotVersion: Math.max(1, view.snapshotVersion), changes }
    return this.request({ kind: 'CONFIGURE', input: { params: scope, body } }, view)
  }

  upgrade({ bundleInstallId, bundle, version }: InstallationView): Promise<ClientWrite> {
    const [first, second] = BUNDLES[bundle]
    const targetVersion = version === first.version ? second.version : first.version
    return this.request({ kind: 'UPGRADE', input: { params: { bundleInstallId }, body: { targetVersion } } })
  }

  detach({ bundleInstallId }: InstallationView): Promise<ClientWrite> {
    return this.request({ kind: 'DETACH', input: { params: { bundleInstallId }, body: { reason: 'done' } } })
  }

  retry({ operationId, run }: { operationId: string; run: number }): Promise<ClientWrite> {
    return this.request({ kind: 'RETRY', input: { params: { operationId }, body: { run } } })
  }

  takeOver({ operationId, run }: { operationId: string; run: number }): Promise<ClientWrite> {
    const body = { run, reason: 'cleaning up' }
    return this.request({ kind: 'TAKEOVER', input: { params: { operationId }, body } })
  }

  /** Sends the request until there is a response, always with the same key; gives up after many attempts. */
  private async request(request: WriteRequest, view?: ScopeView): Promise<ClientWrite> {
    const { schedule, random, note, scope } = this.options
    const key = `${scope.applicationRuntimeId}-key-${++this.keys}`
    const requestIds: string[] = []
    const responses: { errorCode: string; data: unknown }[] = []
    for (let attempt = 0, isDone = false; attempt < 12 && !isDone; attempt++) {
      const requestId = `${key}-${attempt}`
      requestIds.push(requestId)
      const answer = await this.send(request, { key, requestId })
      // an envelope
      if (answer !== null) responses.push(answer as { errorCode: string; data: unknown })
      // now and then an answered request is sent again, to compare the responses
      isDone = answer !== null && !(random.chance(0.1) && this.options.isLossy())
      if (!isDone) await schedule.wait(random.between(100, 1_500))
    }
    const { kind } = request
    const scopeId = view?.scopeId ?? null
    const save = scopeId === null ? null : { scopeId, base: view?.snapshotVersion ?? 0 }
    const write = clientWrite({ kind, requestIds, responses, save })
    note(`${kind} ${key}: ${write.result}${write.result === 'refused' ? ` ${responses[0]?.errorCode}` : ''}`)
    this.writes.push(write)
    return write
  }

  /** Null if no response arrives. */
  private async send(
    request: WriteRequest,
    ids: { key: string; requestId: string },
  ): Promise<JsonObject | null> {
    const { random, fleet, schedule, note, isLossy } = this.options
    await schedule.wait(random.between(1, 10))
    if (isLossy() && random.chance(0.05)) return null
    const { process, deps } = fleet.startServer()
    const answer = await new Promise<JsonObject | null>((resolve) => {
      process.whenStopped(() => resolve(null))
      serve(deps, request, ids).then(resolve, (error: unknown) => {
        note(`${process.name} cannot answer: ${String(error)}`)
        resolve(null)
      })
    })
    if (answer !== null && random.chance(0.8)) schedule.after(1, () => fleet.wakeOne())
    await schedule.wait(random.between(1, 10))
    return isLossy() && random.chance(0.05) ? null : answer
  }
}
