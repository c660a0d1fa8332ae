import type { JWTVerifyGetKey } from 'jose'
import { migrate, readMigrations } from '#database/migrate.ts'
import { openDatabase } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { systemClock } from '#edge/clock.ts'
import type { Clock } from '#edge/clock.ts'
import type { EgressRule } from '#edge/egress.ts'
import { uuidv7 } from '#edge/ids.ts'
import type { Log } from '#edge/log.ts'
import { createOutbound } from '#edge/outbound.ts'
import { systemRandom } from '#edge/random.ts'
import type { Random } from '#edge/random.ts'
import { createFeed } from './events/feed.ts'
import { createActorCheck } from './http/actor-assertion.ts'
import { createHttpApp } from './http/app.ts'
import { attempts } from './http/attempts.ts'
import { countCalls } from './http/count-calls.ts'
import { createServiceCheck } from './http/credentials.ts'
import { createMetrics } from './http/metrics.ts'
import type { HttpApp } from './http/mount.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import type { RateLimit } from './http/rate-limit.ts'
import { createHandlers } from './http/routes.ts'
import { startJanitor } from './janitor.ts'
import { loadSigner } from './references/signer.ts'
import { RUNTIME_MIGRATIONS } from './store/migrations.ts'
import { keepSigningKey } from './store/signing-keys/keep-signing-key.ts'
import type { RuntimeTables } from './store/tables.ts'
import { startWorker } from './worker.ts'
import type { Worker, WorkerOptions } from './worker.ts'
import type { World } from './world.ts'

export interface RuntimeOptions {
  connection: ConnectionSettings
  /** Where this replica's signing key is kept. */
  dataDir: string
  /** Where plugins reach the platform; also the `iss` of its tokens. */
  platformApiBase: string
  egressAllow: readonly EgressRule[]
  /** The service credentials that may call the runtime API: two while one is being changed. */
  credentials: readonly string[]
  /** The keys whose actor assertions are believed: jose's local or remote key set, or any function like them. */
  actorKeys: JWTVerifyGetKey
  log: Log
  clock?: Clock
  random?: Random
  /** `off` for a replica that only answers. */
  worker?: Omit<WorkerOptions, 'owner'> | 'off'
  /** Holds each answer against the contract: for tests and development. */
  checkAnswers?: boolean
  /** For each person and each plugin; default 1,000 a second, 2,000 at once. */
  rateLimit?: RateLimit
  events?: { lifetimeMs?: number; heartbeatMs?: number; pollMs?: number; maxStreams?: number }
  /** Most connections for answering requests (default 16) and for the worker (default 8). */
  connections?: { http?: number; worker?: number }
}

export interface Runtime {
  /** Serves `/bundle-runtime/api` and `/module-plugin-manager/api`. */
  app: HttpApp
  world: World
  /** Migrates the database and begins to work on operations. Throws, with one line, where that cannot be. */
  start(): Promise<void>
  /** Ends event streams, lets calls of plugins under way end, closes everything; may be called again. */
  stop(): Promise<void>
}

/**
 * One replica of the runtime and the plugin manager; any number may share a database. Nothing is connected before `start`.
 *
 * @throws SettingsError where the signing key cannot be used.
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { connection, egressAllow, log, clock = systemClock, random = systemRandom } = options
  const metrics = createMetrics()
  const signer = await loadSigner({ directory: options.dataDir, issuer: options.platformApiBase, clock })
  const migrations = await readMigrations(RUNTIME_MIGRATIONS.folder)
  const onIdleError = (error: Error) => log.warn('an idle database connection was lost', {}, error)
  const http = countCalls(createOutbound({ egressAllow }), metrics, () => clock.monotonic())

  // two pools: a rush of requests must not keep the worker from renewing its leases
  const answering = openDatabase<RuntimeTables>(connection, {
    max: options.connections?.http ?? 16,
    applicationName: 'bundle-runtime',
    statementTimeoutMs: 15_000,
    onIdleError,
  })
  const working = openDatabase<RuntimeTables>(connection, {
    max: options.connections?.worker ?? 8,
    applicationName: 'bundle-runtime-worker',
    onIdleError,
  })
  const world: World = { db: answering.db, http, clock, random, log, signer }
  const workerWorld: World = { ...world, db: working.db }

  const { lifetimeMs = 60_000, heartbeatMs = 15_000, maxStreams = 2_000, pollMs } = options.events ?? {}
  const feed = createFeed({ db: answering.db, clock, log, ...(pollMs !== undefined && { pollMs }) })
  let worker: Worker | undefined
  let janitor: ReturnType<typeof startJanitor> | undefined

  const app = createHttpApp({
    world,
    log,
    clock,
    metrics,
    migrations,
    handlers: createHandlers({ egressAllow, stream: { feed, lifetimeMs, heartbeatMs, maxStreams } }),
    attempts,
    checkService: createServiceCheck(options.credentials),
    checkActor: createActorCheck(options.actorKeys, clock),
    limitRate: createRateLimiter(options.rateLimit ?? { perSecond: 1_000, burst: 2_000 }, clock),
    onWrite() {
      worker?.wake()
      feed.wake()
    },
    checkAnswers: options.checkAnswers ?? false,
  })

  const stop = async (): Promise<void> => {
    await feed.stop()
    await Promise.all([worker?.stop(), janitor?.stop()])
    await Promise.all([http.close(), answering.close(), working.close()])
  }
  let stopping: Promise<void> | undefined

  return {
    app,
    world,
    async start() {
      const ran = await migrate(working.pool, RUNTIME_MIGRATIONS)
      if (ran.length > 0) log.info('database schema brought up to date', { migrations: ran.join(' ') })
      await keepSigningKey(working.db, signer.publicKey)
      janitor = startJanitor(workerWorld, signer.publicKey)
      if (options.worker !== 'off') {
        worker = startWorker(workerWorld, { ...options.worker, owner: uuidv7({ clock, random }) })
      }
    },
    stop: () => (stopping ??= stop()),
  }
}
