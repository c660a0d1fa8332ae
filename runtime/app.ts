import { join } from 'node:path'
import type { JWTVerifyGetKey } from 'jose'
import { migrate, readMigrations, refusePending } from '#database/migrate.ts'
import { openDatabase, UNLIMITED_MS } from '#database/pool.ts'
import type { Database, PoolOptions } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { SharedClock } from '#http-kit/shared-clock.ts'
import { whyUnavailable, whyUnreachable } from '#database/unreachable.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Clock } from '#http-kit/clock.ts'
import { platformAddress } from '#http-kit/egress.ts'
import type { EgressRule, PlatformAddresses } from '#http-kit/egress.ts'
import { systemRandom } from '#http-kit/random.ts'
import type { Random } from '#http-kit/random.ts'
import { throttledLog } from '#http-kit/log.ts'
import type { Log } from '#http-kit/log.ts'
import type { LoadGuard } from '#http-kit/load-guard.ts'
import { createMetrics, createProcessGauges, PROCESS_HELP } from '#http-kit/metrics.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { startBackground } from './background.ts'
import type { Background } from './background.ts'
import { createFeed } from './events/feed.ts'
import { createActorCheck, RefusedCaller, createServiceCheck, createCallerLimits } from './http/callers.ts'
import { createHttpApp } from './http/app.ts'
import { countCalls, replicaGauges, RUNTIME_METRIC_HELP } from './http/metrics.ts'
import { createHandlers } from './http/routes.ts'
import { openStandbyReads } from './http/standby-reads.ts'
import type { RetentionSettings } from './retention/run-retention.ts'
import { readDatabaseClock } from './watch-clock.ts'
import { loadSigner } from './keys/signer.ts'
import { ANCHOR_FILE } from './use-cases/audit/verify-chain.ts'
import { Keyring } from './keys/keyring.ts'
import { openExistingVault, openVault } from './keys/open-vault.ts'
import { recoverIfMoved } from './recovery.ts'
import { RUNTIME_MIGRATIONS } from './store/migrations.ts'
import { createPluginReads } from './store/references.ts'
import { releaseLeases } from './store/operations/leases.ts'
import { recordProcessEvent } from './store/process-events.ts'
import { keepSigningKey } from './store/signing-keys.ts'
import type { RuntimeTables } from './model/tables.ts'
import type { PublicKey } from './model/vault.ts'
import { SpaceWatch } from './http/failures.ts'
import { DEFAULT_LEASE_MS } from './worker/worker.ts'
import type { WorkerOptions } from './worker/worker.ts'
import type { RuntimeDeps } from './deps/runtime-deps.ts'
import type { HttpApp } from './http/http-app.ts'

/** Of the connections for requests, those that only answer plugins. */
const PLUGIN_CONNECTIONS = 2

export interface RuntimeOptions {
  connection: ConnectionSettings
  /**
   * Whether no other runtime can be running on the database; default false. Unfinished operations of the previous
   * process then continue at the start instead of when their leases expire.
   */
  isExclusive?: boolean
  /**
   * The same database with persistent sessions, for migrating and listening, if `connection` goes through a pooler.
   */
  direct?: ConnectionSettings
  /** A standby that serves lists, searches, counts, the audit and the overview; without it, the primary does. */
  standby?: ConnectionSettings
  /** How long the standby serves no reads before that is a trouble; default 30,000. */
  standbyTroubleMs?: number
  /** Whether the start migrates the schema; otherwise it refuses a schema with pending migrations. Default true. */
  migrates?: boolean
  /** Whether replicas notify each other of commits; default true. */
  listens?: boolean
  /** The directory of this replica's signing key, and of the sealing key unless a file is configured. */
  dataDir: string
  /** The files of the sealing key, required if several replicas share a database. Two during a key change. */
  sealingKeyFiles?: readonly string[]
  /** The URL at which plugins reach the platform; also the `iss` of its tokens. */
  platformApiBase: string
  egressAllow: readonly EgressRule[]
  /**
   * The addresses of the platform's own servers, besides the database; no plugin or service may have one of them.
   * Read at each use.
   */
  ownAddresses?: PlatformAddresses
  /** The service credentials that may call the runtime API; two during a change. */
  credentials: readonly string[]
  /** The trusted keys of actor assertions: jose's local or remote key set, or a compatible function. */
  actorKeys: JWTVerifyGetKey
  log: Log
  clock?: Clock
  random?: Random
  /** `off` for a replica that only runs operations; health and metrics are still served. */
  api?: 'off'
  /** `off` for a replica that only serves the API. */
  worker?: Omit<WorkerOptions, 'owner'> | 'off'
  /** Validates each response against the contract; for tests and development. */
  checkAnswers?: boolean
  /** How long a sign-in counts as recent; default 300. */
  recentSignInSeconds?: number
  /** Per person and per plugin; default 1,000 a second, bursts of 2,000. */
  rateLimit?: Rate
  /** Of this process; default: it never has too much to do. */
  load?: LoadGuard
  events?: {
    lifetimeMs?: number
    heartbeatMs?: number
    pollMs?: number
    calmPollMs?: number
    maxStreams?: number
  }
  /** How long finished work is kept; without it, forever. */
  retention?: RetentionSettings
  /** The maximum number of connections for requests (default 16) and for the worker (default 8). */
  connections?: { http?: number; worker?: number }
  /** The limits of each connection; by default statements of requests are cancelled after 15 s. */
  limits?: Limits
}

export type Limits = Pick<
  PoolOptions,
  'connectTimeoutMs' | 'statementTimeoutMs' | 'lockTimeoutMs' | 'idleInTransactionTimeoutMs'
>

export interface Runtime {
  /** Serves `/bundle-runtime/api` and `/module-plugin-manager/api`. */
  app: HttpApp
  deps: RuntimeDeps
  /**
   * Migrates the database and starts to run operations. Throws a one-line error if that is not possible; may then be
   * called again.
   */
  start(): Promise<void>
  /**
   * Reports not ready and, after `delayMs`, ends event streams and waits for running plugin calls. Requests are still
   * served. May be called again.
   */
  drain(delayMs?: number): Promise<void>
  /** Drains and closes everything. May be called again. */
  stop(): Promise<void>
}

/**
 * One replica of the runtime and the plugin manager; any number may share a database. Opens no connection before
 * `start`.
 *
 * @throws SettingsError if the signing key cannot be used.
 */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { connection, egressAllow, log, clock: own = systemClock, random = systemRandom } = options
  const metrics = createMetrics({ ...RUNTIME_METRIC_HELP, ...PROCESS_HELP })
  const processGauges = createProcessGauges()
  // only a worker knows how long leases are
  const leaseMs = options.worker === 'off' ? null : (options.worker?.leaseMs ?? DEFAULT_LEASE_MS)
  const clock = new SharedClock(own, {
    log,
    look: () => readDatabaseClock(working.db, leaseMs, { log, onMoved: () => wakeAll() }),
  })
  const signer = await loadSigner({ directory: options.dataDir, issuer: options.platformApiBase, clock })
  const { publicKey } = signer
  const vault = new Keyring(clock)
  const migrations = await readMigrations(RUNTIME_MIGRATIONS.folder)
  const onIdleError = logLostConnections(log, clock)
  const space = new SpaceWatch(clock)
  const platform = addressesOf(options)
  const outbound = createOutbound({ egressAllow, platform })
  const http = countCalls(outbound, metrics, () => clock.monotonic())

  const pools = openPools(options, { onIdleError, onStatementError: (error) => space.note(error) })
  const { answering, resolving, working, recovering } = pools
  const deps: RuntimeDeps = { db: answering.db, http, clock, random, log, signer, vault }
  const standby =
    options.standby &&
    openStandbyReads(options.standby, {
      pool: { statementTimeoutMs: 15_000, ...options.limits, max: requestConnections(options), onIdleError },
      primary: answering.db,
      clock,
      log,
      metrics,
      troubleMs: options.standbyTroubleMs,
    })
  const workerLog = throttledLog(log, clock, (error) => whyUnavailable(error)?.reason ?? null)
  const workerDeps: RuntimeDeps = { ...deps, db: working.db, log: workerLog }

  const { lifetimeMs = 60_000, heartbeatMs = 15_000, maxStreams = 2_000, ...polls } = options.events ?? {}
  let background: Background | undefined
  let isStopping = false
  const feed = createFeed({
    db: answering.db,
    clock,
    log,
    isNotified: () => background?.replicas?.isListening() ?? false,
    ...polls,
  })

  const wakeAll = (): void => {
    background?.work?.wake()
    feed.wake()
    background?.replicas?.notify('work')
  }

  const app = createHttpApp({
    deps,
    reads: createPluginReads(resolving.db),
    log,
    throttledLog: workerLog,
    space,
    clock,
    metrics,
    migrations,
    handlers: createHandlers({
      egress: { allow: egressAllow, platform },
      stream: { feed, lifetimeMs, heartbeatMs, maxStreams },
      troubles: () => [...(background?.troubles.current() ?? []), ...(standby?.troubles() ?? [])],
    }),
    standby,
    hasApi: options.api !== 'off',
    isStopping: () => isStopping,
    clockProblem: () => clock.problem(),
    gauges: () => [
      ...processGauges(),
      ...replicaGauges({
        pools: { http: answering.pool, plugins: resolving.pool, worker: working.pool, ...standby?.pools },
        isListening: background?.replicas?.isListening() ?? false,
        dataDir: options.dataDir,
        callsInFlight: http.inFlight(),
        worker: background?.work?.worker.status() ?? null,
        clockAheadMs: clock.aheadMs(),
      }),
      ...(standby?.gauges() ?? []),
    ],
    passedOn: () => feed.position(),
    ...callerChecks(options, clock),
    isBehind: () => options.load?.isBehind() ?? false,
    onWrite: wakeAll,
    checkAnswers: options.checkAnswers ?? false,
  })

  const drain = async (delayMs: number): Promise<void> => {
    isStopping = true
    if (delayMs > 0) await clock.sleep(delayMs)
    await feed.stop()
    await background?.stop()
  }
  let draining: Promise<void> | undefined
  const drainOnce = (delayMs = 0): Promise<void> => (draining ??= drain(delayMs))
  const stop = async (): Promise<void> => {
    await drainOnce()
    await Promise.all([http.close(), standby?.close(), ...Object.values(pools).map((pool) => pool.close())])
  }
  let stopping: Promise<void> | undefined

  return {
    app,
    deps,
    async start() {
      await openForWork(options, workerDeps, { vault, recovering, publicKey })
      await clock.refresh()
      if (options.worker !== 'off') {
        if (options.isExclusive === true) await continueOperations({ db: working.db, log })
        await recordProcessEvent(working.db, 'runtime.start')
      }
      background = startBackground(workerDeps, {
        worker: options.worker === 'off' ? null : (options.worker ?? {}),
        replicas:
          options.listens === false
            ? null
            : { connection: options.direct ?? connection, db: answering.db, log },
        // the log of a program with its own database is often not kept
        anchorFile: options.isExclusive === true ? join(options.dataDir, ANCHOR_FILE) : null,
        retention: options.retention ?? null,
        recovering,
        outbound,
        clock,
        space,
        feed,
        publicKey,
      })
    },
    drain: drainOnce,
    stop: () => (stopping ??= stop()),
  }
}

/** The addresses of the platform's own servers. */
function addressesOf({ connection, direct, standby, ownAddresses }: RuntimeOptions): PlatformAddresses {
  const databases = [connection, direct ?? connection, standby ?? connection].map(({ host, port }) =>
    platformAddress(host, port),
  )
  return () => [...databases, ...(ownAddresses?.() ?? [])]
}

/** Who may call, and how often. */
function callerChecks(
  { credentials, actorKeys, recentSignInSeconds, rateLimit, log }: RuntimeOptions,
  clock: SharedClock,
) {
  // two logs, so that requests without a credential suppress nothing that is said about a console
  const refusals = () => {
    const refusalLog = throttledLog(log, clock, (error) =>
      error instanceof RefusedCaller ? error.message : null,
    )
    return (refused: RefusedCaller): void =>
      refusalLog.warn('the request of a console is refused', {}, refused)
  }
  const onRefused = refusals()
  return {
    checkService: createServiceCheck(credentials, refusals()),
    checkActor: createActorCheck(actorKeys, clock, {
      ...(recentSignInSeconds !== undefined && { recentSignInSeconds }),
      onRefused,
    }),
    checkRecorder: createActorCheck(actorKeys, clock, { audience: 'bundle-runtime-audit', onRefused }),
    ...createCallerLimits(rateLimit ?? { perSecond: 1_000, burst: 2_000 }, clock),
  }
}

/** Brings the database to where this replica may work in it: migrated, recovered, with its keys. */
async function openForWork(
  options: RuntimeOptions,
  deps: RuntimeDeps,
  {
    vault,
    recovering,
    publicKey,
  }: { vault: Keyring; recovering: Database<RuntimeTables>; publicKey: PublicKey },
): Promise<void> {
  const sealingKeys = { dataDir: options.dataDir, files: options.sealingKeyFiles ?? [] }
  await openExistingVault(vault, deps.db, sealingKeys)
  await migrateSchema(options)
  // before anybody is called
  await recoverIfMoved(deps, recovering.db)
  await openVault(vault, deps.db, sealingKeys)
  await keepSigningKey(deps.db, publicKey)
}

/** No other process has the leases that are left. */
async function continueOperations({ db, log }: Pick<RuntimeDeps, 'db' | 'log'>): Promise<void> {
  const released = await releaseLeases(db)
  if (released > 0)
    log.info('unfinished operations of the previous process continue', { operations: released })
}

/** How many connections requests have, those of plugins included. */
const requestConnections = ({ connections }: RuntimeOptions): number => connections?.http ?? 16

/** Separate pools, so that a burst of requests cannot keep the worker from renewing its leases, nor plugins from resolving. */
function openPools(
  options: RuntimeOptions,
  listeners: Pick<PoolOptions, 'onIdleError' | 'onStatementError'>,
) {
  const { connection, limits } = options
  const requests = requestConnections(options)
  const open = (applicationName: string, max: number, settings: Partial<PoolOptions>) =>
    openDatabase<RuntimeTables>(connection, { ...settings, max, applicationName, ...listeners })
  const ofRequests = { statementTimeoutMs: 15_000, ...limits }
  return {
    answering: open('bundle-runtime', Math.max(1, requests - PLUGIN_CONNECTIONS), ofRequests),
    resolving: open('bundle-runtime-plugins', Math.min(PLUGIN_CONNECTIONS, requests - 1), {
      ...ofRequests,
      prepareRecurring: true,
    }),
    working: open('bundle-runtime-worker', options.connections?.worker ?? 8, {
      ...limits,
      prepareRecurring: true,
    }),
    // recovering takes as long as the database is large
    recovering: open('bundle-runtime-recovery', 1, { ...limits, statementTimeoutMs: UNLIMITED_MS }),
  }
}

async function migrateSchema({
  connection,
  direct: persistent,
  migrates,
  log,
}: RuntimeOptions): Promise<void> {
  const direct = openDatabase(persistent ?? connection, { max: 1, applicationName: 'bundle-runtime' })
  try {
    if (migrates === false) return await refusePending(direct.pool, RUNTIME_MIGRATIONS)
    const ran = await migrate(direct.pool, RUNTIME_MIGRATIONS)
    if (ran.length > 0) log.info('database schema brought up to date', { migrations: ran.join(' ') })
  } finally {
    await direct.close()
  }
}

/** A restart of the database ends all connections simultaneously, which is logged once. */
function logLostConnections(log: Log, clock: Clock): (error: Error) => void {
  let loggedAt = -Infinity
  return (error) => {
    const now = clock.monotonic()
    if (now - loggedAt < 1_000) return
    loggedAt = now
    log.warn('idle database connections were lost', { reason: whyUnreachable(error).reason })
  }
}
