import { CompiledQuery, sql } from 'kysely'
import type * as z from 'zod'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import type { Operation, OperationDetail } from '#contract/runtime-api/operations.ts'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { createLog } from '#http-kit/log.ts'
import { testHttp } from '#runtime/http/testing-http.ts'
import type { Answered, Call, TestHttp } from '#runtime/http/testing-http.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import type { Delivery } from '../invariants/evidence.ts'
import type { Reader } from '../invariants/reader.ts'
import type { Violation } from '../suite.ts'
import { UNKNOWN_HOST } from './bad-places.ts'
import { Watch } from './watch.ts'

/** What a fault may need of a plugin's registration. */
export interface Limits {
  timeoutMs?: number
  maxAttempts?: number
  maxBackoffMs?: number
}

/** One replica of the runtime with everything that a person does with it through its API. */
export class Platform {
  readonly http: TestHttp
  readonly watch: Watch

  private constructor(http: TestHttp, patienceMs: number) {
    this.http = http
    this.watch = new Watch(http.runtime.world.db, patienceMs)
  }

  static async open(databaseUrl: string, patienceMs: number): Promise<Platform> {
    const http = await testHttp(
      {
        egressAllow: parseEgressAllow(`loopback,${UNKNOWN_HOST}`),
        log: createLog({ name: 'faults', level: 'silent' }),
        rateLimit: { perSecond: 1_000_000, burst: 1_000_000 },
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

  private async ask<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    call?: Call,
  ): Promise<z.output<Schema>> {
    const answer = await this.http.call(path, call)
    if (answer.errorCode !== '0')
      throw new Error(`${call?.method ?? 'GET'} ${path} was refused: ${JSON.stringify(answer.json)}`)
    return schema.parse(answer.data)
  }

  async publish(manifest: AuthorManifest): Promise<void> {
    const { environmentKey, bundleId } = manifest.bundle
    const path = `/bundles/${environmentKey}/${bundleId}/versions/${manifest.version}`
    const answer = await this.http.call(path, { method: 'PUT', body: manifest as unknown as JsonObject })
    if (answer.errorCode !== '0') throw new Error(`the bundle was refused: ${JSON.stringify(answer.json)}`)
  }

  async register(pluginId: string, endpoint: string, limits: Limits): Promise<void> {
    const body = { title: pluginId, endpoint, enabled: true, ...limits }
    await this.ask(runtimeApi['PUT /plugins/{pluginId}'].answer, `/plugins/${pluginId}`, {
      method: 'PUT',
      body,
    })
  }

  async install(
    scope: Scope,
    manifest: AuthorManifest,
    properties: JsonObject,
  ): Promise<{ bundleInstallId: string; operation: Operation }> {
    const { bundle, version: targetVersion } = manifest
    const body = { scope, bundle: { ...bundle }, targetVersion, properties }
    const { installation, operation } = await this.ask(
      runtimeApi['POST /installations'].answer,
      '/installations',
      { method: 'POST', body },
    )
    return { bundleInstallId: installation.installation.bundleInstallId, operation }
  }

  async upgrade(bundleInstallId: string, targetVersion: string): Promise<Operation> {
    const path = `/installations/${bundleInstallId}/upgrade`
    return this.started(path, { targetVersion })
  }

  async detach(bundleInstallId: string): Promise<Operation> {
    return this.started(`/installations/${bundleInstallId}/detach`, { reason: 'not needed any more' })
  }

  async retry(operationId: string, run: number): Promise<Operation> {
    return this.started(`/operations/${operationId}/retry`, { run })
  }

  async takeOver(operationId: string, run: number): Promise<Operation> {
    return this.started(`/operations/${operationId}/takeover`, { run, reason: 'it cannot end' })
  }

  private async started(path: string, body: JsonObject): Promise<Operation> {
    const row = runtimeApi['POST /installations/{bundleInstallId}/detach']
    const { operation } = await this.ask(row.answer, path, { method: 'POST', body })
    return operation
  }

  /** A save that changes one property of one installation. */
  async save(scope: Scope, changes: JsonObject): Promise<Operation> {
    const { snapshotVersion } = await this.configuration(scope)
    const { operations } = await this.ask(
      runtimeApi['PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'].answer,
      `${pathOf(scope)}/configuration`,
      { method: 'PATCH', body: { snapshotVersion, changes } },
    )
    const [operation] = operations
    if (operation === undefined) throw new Error('the save made no operation')
    return operation
  }

  configuration(scope: Scope) {
    const row = runtimeApi['GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration']
    return this.ask(row.answer, `${pathOf(scope)}/configuration`)
  }

  detail(operationId: string): Promise<OperationDetail> {
    return this.ask(runtimeApi['GET /operations/{operationId}'].answer, `/operations/${operationId}`)
  }

  installation(bundleInstallId: string): Promise<Installation> {
    const row = runtimeApi['GET /installations/{bundleInstallId}']
    return this.ask(row.answer, `/installations/${bundleInstallId}`)
  }

  /** As another worker's claim does it, which then is gone at once. */
  async loseLease(operationId: string): Promise<void> {
    await sql`
      update runtime.operation
      set lease_owner = 'another worker', lease_epoch = lease_epoch + 1, available_at = clock_timestamp()
      where operation_id = ${operationId}`.execute(this.http.runtime.world.db)
  }

  /** Whatever the tables and the plugins together show to be wrong. */
  checkInvariants(deliveries: readonly Delivery[]): Promise<Violation[]> {
    const { db } = this.http.runtime.world
    const reader: Reader = { query: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) }
    return checkInvariants(reader, { deliveries, writes: [], isQuiet: true })
  }

  /** Tables that hold a text anywhere, in any column. */
  async tablesWith(text: string): Promise<string[]> {
    const { db } = this.http.runtime.world
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = 'runtime' and table_type = 'BASE TABLE'`.execute(db)
    const found: string[] = []
    for (const { name } of rows) {
      const table = sql.table(`runtime.${name}`)
      const held =
        await sql`select from ${table} as held where held::text like ${`%${text}%`} limit 1`.execute(db)
      if (held.rows.length > 0) found.push(name)
    }
    return found
  }

  call(path: string, call?: Call): Promise<Answered> {
    return this.http.call(path, call)
  }
}

function pathOf({ environmentKey, applicationRuntimeId, workspaceId }: Scope): string {
  return `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}`
}
