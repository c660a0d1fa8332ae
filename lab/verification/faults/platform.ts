import { CompiledQuery, sql } from 'kysely'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { createLog } from '#http-kit/log.ts'
import { testHttp } from '#runtime/testing/http.ts'
import type { TestHttp } from '#runtime/testing/http.ts'
import { createApiClient } from '../api-client.ts'
import type { ApiClient } from '../api-client.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import type { Delivery } from '../invariants/evidence.ts'
import type { Violation } from '../suite.ts'
import { GROUP, UNKNOWN_HOST } from './bad-endpoints.ts'
import { OperationWatch } from './operation-watch.ts'

/** One replica of the runtime, a client of its API, and its database. */
export class Platform {
  readonly client: ApiClient
  readonly watch: OperationWatch
  private readonly http: TestHttp

  private constructor(http: TestHttp, patienceMs: number) {
    this.http = http
    this.client = clientOf(http)
    this.watch = new OperationWatch(http.runtime.deps.db, patienceMs)
  }

  static async open(databaseUrl: string, patienceMs: number): Promise<Platform> {
    const http = await testHttp(
      {
        egressAllow: parseEgressAllow(`loopback,http://${UNKNOWN_HOST},http://${GROUP}`),
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

  detail(operationId: string): Promise<OperationDetail> {
    return this.client.read('GET /operations/{operationId}', { params: { operationId } })
  }

  installation(bundleInstallId: string): Promise<Installation> {
    return this.client.read('GET /installations/{bundleInstallId}', { params: { bundleInstallId } })
  }

  /** Simulates another worker that leases the operation and dies immediately. */
  async loseLease(operationId: string): Promise<void> {
    await sql`
      update runtime.operation
      set lease_owner = 'another worker', lease_epoch = lease_epoch + 1, available_at = clock_timestamp()
      where operation_id = ${operationId}`.execute(this.http.runtime.deps.db)
  }

  checkInvariants(deliveries: readonly Delivery[]): Promise<Violation[]> {
    const { db } = this.http.runtime.deps
    const reader = {
      query: (text: string, values?: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values)),
    }
    return checkInvariants(reader, { deliveries, writes: [], isQuiet: true })
  }

  /** Tables that contain a text, in any column. */
  async tablesWith(text: string): Promise<string[]> {
    const { db } = this.http.runtime.deps
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

function clientOf(http: TestHttp): ApiClient {
  return createApiClient(async (name, { params, body }) => {
    const { method, path } = splitName(name)
    // bodies of the API are JSON
    const sent = body === undefined ? {} : { body: body as JsonValue }
    const { errorCode, data } = await http.call(fillPath(path, params), { method, ...sent })
    if (errorCode !== '0') return { isDone: false, errorCode }
    return { isDone: true, data: runtimeApi[name].answer.parse(data) }
  })
}
