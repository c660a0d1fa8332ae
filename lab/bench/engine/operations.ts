import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { migrate } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import { fromUrl } from '#database/settings.ts'
import { inTransaction } from '#database/transaction.ts'
import { systemClock } from '#http-kit/clock.ts'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { uuidv7, systemRandom } from '#http-kit/random.ts'
import { createLog } from '#http-kit/log.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { freezeOperation } from '#runtime/use-cases/operations/freeze.ts'
import type { FrozenPlan } from '#runtime/model/plan.ts'
import { loadSigner } from '#runtime/keys/signer.ts'
import { testVault } from '#runtime/testing/vault.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { startWorker } from '#runtime/worker/worker.ts'
import type { Worker } from '#runtime/worker/worker.ts'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import type { OperationRow } from '#runtime/model/operation.ts'

/** How many operations each engine runs at once; the peers read the same variable. */
export const CONCURRENCY = Number(process.env.BENCH_AT_ONCE ?? 20)

export interface EngineContext {
  databaseUrl: string
  pluginUrl: string
  /**
   * The number of operations due at an unresponsive plugin besides the work. If set, even to 0, the worker uses its
   * normal settings instead of those that process a backlog fastest.
   */
  hanging?: number
}

/** A worker and its operations under measurement; of a peer, its worker and its jobs. */
export interface Engine {
  /** Creates the tables and rows that operations need, in a database of its own. */
  prepare(): Promise<void>
  /** Connects to the tables that another process has prepared; absent if there is nothing to do. */
  connect?(): Promise<void>
  /** Creates a backlog; absent if work starts as soon as it is created. */
  fill?(count: number): Promise<void>
  /** Starts processing; `onDone` is called once for each operation that has ended. */
  start(onDone: () => void): Promise<void>
  /** Creates one operation and resolves with its ID once it is committed. */
  createOne?(): Promise<string>
  /** SQL: selects, as `id`, the completed operations among those whose IDs are in the array $1. */
  completedOf?: string
  /** Of an engine without a table to look at: creates one operation and resolves when it has ended. */
  runOne?(): Promise<void>
  /** The number of stored operations that have succeeded and have both responses. */
  countStored(): Promise<number>
  stop(): Promise<void>
}

/** Ours has a backlog. */
export type OwnEngine = Engine & Required<Pick<Engine, 'fill'>>

const PLUGIN = 'provisioner'
const SILENT = 'silent'
const SCOPES = 100
const LOCATOR = 'bench/crm/MODULE/tenants'

/**
 * CONFIGURE operations as a save creates them: one Module, one plugin in both stages. Each call is signed, its attempt
 * is recorded before and after, its response is judged, the ledger is written and every step is published as an event.
 */
export async function createEngine({ databaseUrl, pluginUrl, hanging }: EngineContext): Promise<OwnEngine> {
  // two pools, like the runtime: one creates operations, one belongs to the worker
  const making = openDatabase<RuntimeTables>(fromUrl(databaseUrl), { max: 8 })
  const { db, pool, close } = openDatabase<RuntimeTables>(fromUrl(databaseUrl), {
    max: 8,
    prepareRecurring: true,
  })
  const http = createOutbound({ egressAllow: parseEgressAllow('loopback') })
  const signer = await loadSigner({
    directory: mkdtempSync(join(tmpdir(), 'bundle-console-bench-')),
    issuer: 'http://127.0.0.1',
    clock: systemClock,
  })
  const log = createLog({ name: 'bench', level: 'warn' })
  await migrate(pool, RUNTIME_MIGRATIONS)
  const vault = await testVault(db)
  const deps: RuntimeDeps = { db, http, clock: systemClock, random: systemRandom, log, signer, vault }
  let worker: Worker | undefined
  let ended = 0

  const spare: string[] = []
  /** Inserts installed bundles as the basis of operations; in bulk, because installing them is not measured. */
  const install = async (count: number): Promise<void> => {
    const { rows } = await sql<{ id: string }>`
      insert into runtime.installation (bundle_install_id, scope_id, environment_key, application_runtime_id,
        workspace_id, bundle_environment_key, bundle_id, title, state, version)
      select id, scope_id, environment_key, application_runtime_id, workspace_id,
        'bench', 'bundle-' || id, 'CRM', 'ACTIVE', '1.0.0'
      from unnest(${Array.from({ length: count }, () => uuidv7(deps))}::uuid[]) with ordinality as installed (id, n)
      join runtime.scope on scope_id = 1 + n % ${SCOPES}
      returning bundle_install_id as id`.execute(making.db)
    spare.push(...rows.map(({ id }) => id))
  }

  const freezeOne = async (pluginId = PLUGIN): Promise<OperationRow> => {
    if (spare.length === 0) await install(1_000)
    const bundleInstallId = spare.pop() ?? ''
    return inTransaction(making.db, async (tx) => {
      const installation = await tx
        .selectFrom('runtime.installation')
        .selectAll()
        .where('bundle_install_id', '=', bundleInstallId)
        .executeTakeFirstOrThrow()
      return freezeOperation(tx, vault, {
        operationId: uuidv7(deps),
        installation,
        operationType: 'CONFIGURE',
        currentVersion: '1.0.0',
        targetVersion: '1.0.0',
        plan: planOf(bundleInstallId, pluginId),
        actor: { id: 'bench', name: 'Bench' },
        reason: null,
        admission: { problems: [], overridden: false },
      })
    })
  }

  const make = async (count: number, pluginId: string): Promise<void> => {
    for (let made = 0; made < count; made += CONCURRENCY)
      await Promise.all(Array.from({ length: CONCURRENCY }, () => freezeOne(pluginId)))
  }

  return {
    async prepare() {
      await sql`
        insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
        select 'bench', 'engine', n, 'bench', 'Bench' from generate_series(1, ${SCOPES}) n`.execute(db)
      await db
        .insertInto('runtime.plugin')
        .values([
          { plugin_id: PLUGIN, title: 'Provisioner', endpoint: pluginUrl, enabled: true },
          { plugin_id: SILENT, title: 'Silent', endpoint: `${pluginUrl}silent`, enabled: true },
        ])
        .execute()
      await install(1_000)
      await make(hanging ?? 0, SILENT)
      // production never creates this many within a second: autovacuum would have run meanwhile
      if (hanging !== undefined) await sql`analyze`.execute(db)
    },
    async fill(count) {
      await make(count, PLUGIN)
    },
    async start(onDone) {
      worker = startWorker(deps, {
        owner: uuidv7(deps),
        ...(hanging === undefined && { concurrency: CONCURRENCY, callsPerPlugin: CONCURRENCY }),
        onProgress() {
          const now = worker?.status().ended ?? 0
          for (; ended < now; ended++) onDone()
        },
      })
    },
    async createOne() {
      const { operation_id } = await freezeOne()
      worker?.wake()
      return operation_id
    },
    completedOf: `
      select operation_id as id from runtime.operation
      where operation_id = any($1::uuid[]) and state = 'SUCCEEDED'`,
    async countStored() {
      const { rows } = await sql<{ stored: number }>`
        select count(*)::integer as stored from runtime.operation
        where state = 'SUCCEEDED' and 2 = (
          select count(*) from runtime.attempt
          where attempt.operation_id = operation.operation_id and finished_at is not null)`.execute(db)
      return rows[0]?.stored ?? 0
    },
    async stop() {
      await worker?.stop()
      await http.close()
      await close()
      await making.close()
    },
  }
}

/** Each installation has its own bundle with its own Module. */
function planOf(bundleInstallId: string, pluginId: string): FrozenPlan {
  const locator = `${LOCATOR}-${bundleInstallId}`
  return {
    resources: [
      {
        locator,
        kind: 'MODULE',
        title: 'Tenants',
        moduleId: 'module-tenants',
        action: 'CONFIGURE',
        currentVersion: '1.0.0',
        targetVersion: '1.0.0',
        properties: { region: { '@type': 'Data', value: 'eu' } },
        definitions: { region: { kind: 'DATA', schema: { type: 'string' } } },
        writtenBy: {},
      },
    ],
    plugins: [
      {
        pluginId,
        protocolVersion: '6.0.0',
        order: 1,
        failurePolicy: 'FAIL_FAST',
        configuration: { schemaVersion: '1', values: { size: 'small' } },
        resources: [
          { resource: locator, readProperties: ['region'], writeProperties: [], credentialProperties: [] },
        ],
      },
    ],
    changes: [],
  }
}
