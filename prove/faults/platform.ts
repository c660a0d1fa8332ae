import { CompiledQuery, sql } from 'kysely'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { AnswerOf, CallOf } from '#contract/endpoint/endpoint.ts'
import type { JsonValue } from '#contract/protocol/json.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import type { Operation, OperationDetail } from '#contract/runtime-api/operations.ts'
import { parseEgressAllow } from '#edge/egress.ts'
import { createLog } from '#edge/log.ts'
import { testHttp } from '#runtime/http/testing-http.ts'
import type { TestHttp } from '#runtime/http/testing-http.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import type { Delivery } from '../invariants/evidence.ts'
import type { Violation } from '../suite.ts'
import { UNKNOWN_HOST } from './bad-endpoints.ts'
import { OperationWatch } from './operation-watch.ts'

/** The settings of a plugin's registration that cells change. */
export interface PluginLimits {
  timeoutMs: number
  maxAttempts: number
  maxBackoffMs: number
}

type Name = keyof RuntimeApi & string

const CONFIGURATION = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

/** One replica of the runtime, and everything that a person does with it through its API. */
export class Platform {
  readonly watch: OperationWatch
  private readonly http: TestHttp

  private constructor(http: TestHttp, patienceMs: number) {
    this.http = http
    this.watch = new OperationWatch(http.runtime.world.db, patienceMs)
  }

  static async open(databaseUrl: string, patienceMs: number): Promise<Platform> {
    const http = await testHttp(
      {
        egressAllow: parseEgressAllow(`loopback,${UNKNOWN_HOST}`),
        log: createLog({ name: 'faults', level: 'silent' }),
        rateLimit: { perSecond: 1e6, burst: 1e6 },
        worker: { concurrency: 64, pollMs: 200 },
        checkAnswers: false,
      },
      databaseUrl,
    )
    return new Platform(http, patienceMs)
  }

  close(): Promise<void> {
    return this.http.close()
  }

  private async ask<Endpoint extends Name>(
    name: Endpoint,
    call: CallOf<RuntimeApi[Endpoint]>,
  ): Promise<AnswerOf<RuntimeApi[Endpoint]>> {
    // the call of an endpoint has some of these
    const { params = {}, body } = call as { params?: Record<string, string | number>; body?: JsonValue }
    const { method, path } = splitName(name)
    const answer = await this.http.call(fillPath(path, params), {
      method,
      ...(body !== undefined && { body }),
    })
    if (answer.errorCode !== '0') throw new Error(`${name} was refused: ${JSON.stringify(answer.json)}`)
    return runtimeApi[name].answer.parse(answer.data) as AnswerOf<RuntimeApi[Endpoint]>
  }

  async publish(manifest: AuthorManifest): Promise<void> {
    const params = { ...manifest.bundle, version: manifest.version }
    await this.ask('PUT /bundles/{environmentKey}/{bundleId}/versions/{version}', { params, body: manifest })
  }

  async register(pluginId: string, endpoint: string, limits: PluginLimits): Promise<void> {
    const body = { title: pluginId, endpoint, enabled: true, ...limits }
    await this.ask('PUT /plugins/{pluginId}', { params: { pluginId }, body })
  }

  async install(
    scope: Scope,
    { bundle, version: targetVersion }: AuthorManifest,
    properties: Changes,
  ): Promise<{ bundleInstallId: string; operation: Operation }> {
    const body = { scope, bundle, targetVersion, properties }
    const { installation, operation } = await this.ask('POST /installations', { body })
    return { bundleInstallId: installation.installation.bundleInstallId, operation }
  }

  async upgrade(bundleInstallId: string, targetVersion: string): Promise<Operation> {
    const call = { params: { bundleInstallId }, body: { targetVersion } }
    return (await this.ask('POST /installations/{bundleInstallId}/upgrade', call)).operation
  }

  async detach(bundleInstallId: string): Promise<Operation> {
    const call = { params: { bundleInstallId }, body: { reason: 'not needed any more' } }
    return (await this.ask('POST /installations/{bundleInstallId}/detach', call)).operation
  }

  async retry(operationId: string, run: number): Promise<void> {
    await this.ask('POST /operations/{operationId}/retry', { params: { operationId }, body: { run } })
  }

  async takeOver(operationId: string, run: number): Promise<Operation> {
    const call = { params: { operationId }, body: { run, reason: 'it cannot end' } }
    return (await this.ask('POST /operations/{operationId}/takeover', call)).operation
  }

  /** A save of one installation's properties. */
  async save(scope: Scope, changes: Changes): Promise<Operation> {
    const { snapshotVersion } = await this.configuration(scope)
    const call = { params: scope, body: { snapshotVersion, changes } }
    const { operations } = await this.ask(`PATCH ${CONFIGURATION}`, call)
    const [operation] = operations
    if (operation === undefined) throw new Error('the save started no operation')
    return operation
  }

  configuration(scope: Scope) {
    return this.ask(`GET ${CONFIGURATION}`, { params: scope })
  }

  detail(operationId: string): Promise<OperationDetail> {
    return this.ask('GET /operations/{operationId}', { params: { operationId } })
  }

  installation(bundleInstallId: string): Promise<Installation> {
    return this.ask('GET /installations/{bundleInstallId}', { params: { bundleInstallId } })
  }

  /** Does what another worker does that leases the operation and dies at once. */
  async loseLease(operationId: string): Promise<void> {
    await sql`
      update runtime.operation
      set lease_owner = 'another worker', lease_epoch = lease_epoch + 1, available_at = clock_timestamp()
      where operation_id = ${operationId}`.execute(this.http.runtime.world.db)
  }

  checkInvariants(deliveries: readonly Delivery[]): Promise<Violation[]> {
    const { db } = this.http.runtime.world
    const reader = {
      query: (text: string, values?: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values)),
    }
    return checkInvariants(reader, { deliveries, writes: [], isQuiet: true })
  }

  /** Tables that contain a text, in any column. */
  async tablesWith(text: string): Promise<string[]> {
    const { db } = this.http.runtime.world
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'runtime' and table_type = 'BASE TABLE'`.execute(db)
    const found: string[] = []
    for (const { name } of rows) {
      const table = sql.table(`runtime.${name}`)
      const query = sql`select from ${table} as row where row::text like ${`%${text}%`} limit 1`
      if ((await query.execute(db)).rows.length > 0) found.push(name)
    }
    return found
  }
}
