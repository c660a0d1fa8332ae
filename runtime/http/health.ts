import { Hono } from 'hono'
import { PLATFORM_MESSAGES } from '#contract/protocol/platform-messages.ts'
import { pendingMigrations } from '#database/migrate.ts'
import type { AppliedMigration, Migration } from '#database/migrate.ts'
import { READ_ONLY_MESSAGES, whyReadOnly } from '#database/read-only.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { sharedLook } from '#http-kit/shared-look.ts'
import type { Position } from '../store/events.ts'
import { listAppliedMigrations } from '../store/migrations.ts'
import { findServer } from '../store/recovery/recover.ts'
import { listSigningKeys } from '../store/signing-keys.ts'
import type { SpaceWatch } from './failures.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { databaseGauges } from './metrics.ts'
import type { Metrics, Gauge } from '#http-kit/metrics.ts'
import { refuseMethod } from './serve-row.ts'
import type { HttpApp, HttpVariables } from './http-app.ts'

export interface HealthOptions {
  deps: RuntimeDeps
  space: SpaceWatch
  metrics: Metrics
  /** The migrations that this version contains. */
  migrations: readonly Migration[]
  /** What is wrong with the clocks; null if they agree. */
  clockProblem(): string | null
  /** Whether this replica is stopping and takes no new work. */
  isStopping(): boolean
  /** What this replica knows about itself. */
  gauges(): Gauge[]
  /** How far its event feed has read. */
  passedOn(): Position | null
}

/** The time limit of database queries for probes. */
const TIME_LIMIT_MS = 2_000

/** The endpoints for machines, without envelope and credential. None reveals anything about a scope or a person. */
export function healthRoutes(options: HealthOptions): HttpApp {
  const { deps, space, metrics, migrations, isStopping } = options
  const app = new Hono<{ Variables: HttpVariables }>()
  const isDatabaseFull = sharedLook(() => space.isOut(deps.db))
  const schemaState = sharedLook(() =>
    Promise.all([listAppliedMigrations(deps.db), whyReadOnly(deps.db, 'runtime')]),
  )
  const serverState = sharedLook(() => findServer(deps.db))
  const gaugesOfDatabase = sharedLook(() => databaseGauges(deps.db, options.passedOn()))
  const signingKeys = sharedLook(() => listSigningKeys(deps.db))

  app.get('/healthz', (c) => c.json({ status: 'ok' }))

  app.get('/readyz', async (c) => {
    if (isStopping()) throw notReady('This replica is stopping')
    if ((await withTimeLimit(deps, isDatabaseFull())) !== false)
      throw notReady(PLATFORM_MESSAGES.databaseFull)
    const [applied, readOnly] = (await withTimeLimit(deps, schemaState())) ?? [null, null]
    if (applied === null) throw notReady('The database cannot be reached')
    if (readOnly !== null) throw notReady(READ_ONLY_MESSAGES[readOnly])
    if (!isUpToDate([...migrations], applied))
      throw notReady('The database schema is not the one of this version')
    const server = await withTimeLimit(deps, serverState())
    if (server === null) throw notReady('The database cannot be reached')
    if (!server.isSame) throw notReady('The database has moved or went back in time, and is being recovered')
    if (deps.vault.lacksKeys())
      throw notReady('This replica does not have the current sealing key: name its file in SEALING_KEY_FILE')
    const clock = options.clockProblem()
    // its tokens have the time of the database, so it can work
    return c.json({ status: 'ready', ...(clock !== null && { clock }) })
  })

  app.get('/metrics', async (c) => {
    const [ofDatabase, isFull] = await Promise.all([
      withTimeLimit(deps, gaugesOfDatabase()),
      withTimeLimit(deps, isDatabaseFull()),
    ])
    const gauges = [
      ...options.gauges(),
      { name: 'bundle_runtime_database_up', labels: {}, value: Number(ofDatabase !== null) },
      { name: 'bundle_runtime_database_full', labels: {}, value: Number(isFull ?? !space.hasSpace()) },
      ...(ofDatabase ?? []),
    ]
    return c.text(metrics.render(gauges), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
  })

  app.get('/.well-known/jwks.json', async (c) =>
    // short enough that every service knows the key of a new replica before tokens use it
    c.json({ keys: await signingKeys() }, 200, { 'cache-control': 'public, max-age=60' }),
  )

  for (const path of ['/healthz', '/readyz', '/metrics', '/.well-known/jwks.json'])
    app.all(path, (c) => refuseMethod(c, ['GET']))
  return app
}

/** The result of a query, or null if it fails or exceeds the time limit. */
async function withTimeLimit<Result>({ clock }: RuntimeDeps, query: Promise<Result>): Promise<Result | null> {
  const answered = new AbortController()
  const late = clock.sleep(TIME_LIMIT_MS, answered.signal).catch(() => undefined)
  const result = await Promise.race([query.catch(() => null), late.then(() => null)])
  answered.abort()
  return result
}

function isUpToDate(migrations: Migration[], applied: readonly AppliedMigration[]): boolean {
  try {
    return pendingMigrations('runtime', migrations, applied).length === 0
  } catch {
    return false
  }
}

function notReady(message: string): TransportError {
  return new TransportError('SERVICE_UNAVAILABLE', message, { 'retry-after': '1' })
}
