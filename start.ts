import { join } from 'node:path'
import { createLocalJWKSet } from 'jose'
import type { Console } from '#bff/app.ts'
import { createActorAssertions, loadActorKey } from '#bff/runtime/actor-assertion.ts'
import type { SignIn } from '#bff/greeting.ts'
import { openConsoleDatabase } from '#bff/database.ts'
import { securityHeadersFor } from '#bff/middleware/security-headers.ts'
import type { LoadGuard } from '#http-kit/load-guard.ts'
import { createRuntimeClient } from '#bff/runtime/runtime-client.ts'
import type { ConsoleSettings } from '#bff/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { checkServer, openServer } from '#database/open.ts'
import type { OpenServer } from '#database/open.ts'
import type { EgressRule, PlatformAddress } from '#http-kit/egress.ts'
import { persistentSecret } from '#http-kit/secret-files.ts'
import { fieldsFirst } from '#http-kit/log.ts'
import type { Log } from '#http-kit/log.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { listen } from '#http-kit/serve.ts'
import type { Listener } from '#http-kit/serve.ts'
import { HEADER_BYTES_MAX } from '#runtime/http/http-app.ts'
import type { Runtime, RuntimeOptions } from '#runtime/app.ts'
import { createDemoCaller } from './demo/caller.ts'
import type { DemoCaller } from './demo/caller.ts'
import type { DemoPlugins } from './demo/plugins.ts'

export interface StartOptions {
  dataDir: string
  /** Null: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | null
  /** For development only: the embedded database does not wait for the disk. */
  isDatabaseDisposable?: boolean
  /** How long to wait for a database of a URL; default one minute. */
  databaseWaitMs?: number
  /** How long a document waits for its data; default 300. */
  documentWaitMs?: number
  /** Whether to migrate the database; default true. */
  databaseMigrates?: boolean
  console: ConsoleSettings
  /** What sets the two ports, for the message if one is taken; default: the environment variables. */
  portNames?: { console: string; runtime: string }
  runtime: {
    port: number
    /** The address at which plugins reach the platform; default: loopback. */
    platformApiBase: string | null
    egressAllow: readonly EgressRule[]
    /** Addresses that no plugin or service may have, besides the servers started here. */
    egressDeny?: readonly PlatformAddress[]
    /** Each is accepted, and the console uses the first; without any, one is generated. */
    credentials?: readonly string[]
    /** The files of the sealing key; without them it is stored in `dataDir`. */
    sealingKeyFiles?: readonly string[]
    retention?: RuntimeOptions['retention']
    events?: RuntimeOptions['events']
  }
  /** Of this process; default: it never has too much to do. */
  load?: LoadGuard
  /** Whether to run the example plugins that the demo uses. */
  plugins: boolean
  /** The built console. */
  folder: string
  log: Log
}

export interface Running {
  /** The console's address for browsers. */
  url: string
  runtimeUrl: string
  signIn: SignIn
  plugins: DemoPlugins | null
  /** Calls the runtime as a person of the demo; null if the runtime is not ours. */
  call: DemoCaller | null
  /** The embedded database; null if it is that of a URL. */
  database: ConnectionSettings | null
  /** Settles only when a part that everything needs ended unexpectedly. */
  failed: Promise<void>
  stop(): Promise<void>
}

/** What ends the parts that were started, in the order of their start. */
type Stops = (() => Promise<void>)[]

/** In reverse order: users of a resource end before the resource. */
async function stopAll(stops: Stops): Promise<void> {
  for (const end of stops.splice(0).reverse()) await end()
}

type RuntimeAddress = { baseUrl: string; credential: string }

interface Parts {
  server: OpenServer
  assertionKey: Awaited<ReturnType<typeof loadActorKey>>
  listener: Listener
}

/** Everything on one machine: database, runtime, example plugins, console. If a part fails, what was started is stopped. */
export async function startAll(options: StartOptions): Promise<Running> {
  const stops: Stops = []
  const stop = (): Promise<void> => stopAll(stops)
  try {
    return await start(options, stops, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(options: StartOptions, stops: Stops, stop: () => Promise<void>): Promise<Running> {
  const { dataDir, portNames = { console: 'PORT', runtime: 'RUNTIME_PORT' } } = options
  // before anything is created: a start that cannot succeed leaves nothing behind
  checkServer(options)
  const listener = await listen({
    port: options.console.port,
    hostname: options.console.host,
    addressVariable: 'HOST',
    portVariable: portNames.console,
    headers: securityHeadersFor('data', options.console.auth.publicOrigin.startsWith('https:')),
  })
  stops.push(() => listener.stop())
  const runtimeListener =
    options.console.runtime === null
      ? await listen({
          port: options.runtime.port,
          hostname: '127.0.0.1',
          portVariable: portNames.runtime,
          maxHeaderBytes: HEADER_BYTES_MAX,
        })
      : null
  if (runtimeListener !== null) stops.push(() => runtimeListener.stop())
  const [server, code] = await bothStarted(openDatabaseServer(options, stops), loadCode(options))
  const assertionKey = await loadActorKey(dataDir, options.console.assertionKeyFile)

  const embedded = runtimeListener === null ? null : await addressOf(options, runtimeListener)
  const runtime = options.console.runtime ?? embedded
  if (runtime === null) throw new TypeError('There is neither an embedded runtime nor another one')

  // together, because both spend most of their start waiting for the database or hashing passwords
  const runtimeStops: Stops = []
  const consoleStops: Stops = []
  stops.push(
    () => stopAll(runtimeStops),
    () => stopAll(consoleStops),
  )
  const [startedRuntime, bff] = await bothStarted(
    runtimeListener === null || embedded === null
      ? Promise.resolve(null)
      : startRuntime(
          options,
          code,
          { server, assertionKey, listener: runtimeListener, address: embedded, consolePort: listener.port },
          runtimeStops,
        ),
    startConsole(options, code, { server, assertionKey, listener, runtime }, consoleStops),
  )
  listener.serve({ app: bff.app, ...(bff.front !== null && { front: bff.front }) })
  consoleStops.push(() => listener.stop({ graceMs: 2_000 }))

  return {
    url: options.console.auth.publicOrigin,
    runtimeUrl: runtime.baseUrl,
    signIn: bff.signIn,
    plugins: startedRuntime?.plugins ?? null,
    call: startedRuntime?.call ?? null,
    database: server.isExclusive ? server.connection : null,
    failed: server.failed,
    stop,
  }
}

/** Waits for both, so that the caller can stop what one of them has started although the other failed. */
async function bothStarted<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

async function openDatabaseServer(options: StartOptions, stops: Stops): Promise<OpenServer> {
  const server = await openServer({
    databaseUrl: options.databaseUrl,
    dataDir: options.dataDir,
    log: fieldsFirst(options.log),
    ...(options.databaseWaitMs !== undefined && { waitMs: options.databaseWaitMs }),
    isDisposable: options.isDatabaseDisposable,
  })
  stops.push(() => server.stop())
  return server
}

/** Loads more than a thousand modules, which is done while the database starts; one by one, so that it can continue in between. */
async function loadCode(options: StartOptions) {
  const { createConsole } = await import('#bff/app.ts')
  const { createRuntime } = await import('#runtime/app.ts')
  const { startDemoPlugins } = options.plugins
    ? await import('./demo/plugins.ts')
    : { startDemoPlugins: null }
  return { createConsole, createRuntime, startDemoPlugins }
}

type Code = Awaited<ReturnType<typeof loadCode>>

async function startConsole(
  options: StartOptions,
  { createConsole }: Code,
  { server, assertionKey, listener, runtime }: Parts & { runtime: RuntimeAddress },
  stops: Stops,
): Promise<Console> {
  const { connection } = server
  const retryWhileAway: OpenServer['retryWhileAway'] = (step) => server.retryWhileAway(step)
  const log = options.log.child({ part: 'console' })
  const database = await openConsoleDatabase({
    connection,
    retryWhileAway,
    migrates: options.databaseMigrates ?? true,
    log,
  })
  stops.push(() => database.close())
  const bff = await createConsole({
    database,
    retryWhileAway,
    dataDir: options.dataDir,
    settings: options.console.auth,
    runtime,
    isRuntimeRemote: options.console.runtime !== null,
    assertionKey,
    folder: options.folder,
    documentWaitMs: options.documentWaitMs,
    rates: options.console.rates,
    loopback: () => `http://127.0.0.1:${listener.port}`,
    ...(options.load !== undefined && { load: options.load }),
    log,
  })
  stops.push(() => bff.stop())
  return bff
}

/** Where the runtime of this process will listen, and the credential of its console. */
async function addressOf(options: StartOptions, listener: Listener): Promise<RuntimeAddress> {
  const [credential = await generatedCredential(options.dataDir)] = options.runtime.credentials ?? []
  return { baseUrl: `http://127.0.0.1:${listener.port}/bundle-runtime/api`, credential }
}

async function startRuntime(
  options: StartOptions,
  { createRuntime, startDemoPlugins }: Code,
  {
    server,
    assertionKey,
    listener,
    address,
    consolePort,
  }: Parts & { address: RuntimeAddress; consolePort: number },
  stops: Stops,
) {
  const { dataDir, log, runtime: settings } = options
  const configured = settings.credentials ?? []
  const credentials = configured.length > 0 ? configured : [address.credential]
  const platformApiBase = settings.platformApiBase ?? `http://127.0.0.1:${listener.port}`
  const runtime: Runtime = await createRuntime({
    connection: server.connection,
    isExclusive: server.isExclusive,
    migrates: options.databaseMigrates ?? true,
    dataDir,
    ...(settings.sealingKeyFiles !== undefined && { sealingKeyFiles: settings.sealingKeyFiles }),
    platformApiBase,
    egressAllow: settings.egressAllow,
    ownAddresses: () => [
      ...(settings.egressDeny ?? []),
      { host: null, port: listener.port },
      { host: null, port: consolePort },
    ],
    credentials,
    actorKeys: createLocalJWKSet({ keys: [assertionKey.publicJwk] }),
    recentSignInSeconds: options.console.auth.recentSignInSeconds,
    log: log.child({ part: 'runtime' }),
    ...(settings.retention !== undefined && { retention: settings.retention }),
    ...(settings.events !== undefined && { events: settings.events }),
    ...(options.load !== undefined && { load: options.load }),
  })
  stops.push(() => runtime.stop())
  stops.push(() => listener.stop({ graceMs: 2_000 }))
  const plugins = (await startDemoPlugins?.(join(dataDir, 'plugins'), platformApiBase)) ?? null
  if (plugins !== null) stops.push(() => plugins.stop())
  // calls in flight finish while the plugins still respond
  stops.push(() => runtime.drain())
  // plugins first: an operation left over from the last run continues immediately
  await server.retryWhileAway(() => runtime.start())
  // requests wait until here: before it the schema and the keys may be missing
  listener.serve({ app: runtime.app })

  const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
  stops.push(() => outbound.close())
  const call = createDemoCaller(
    createRuntimeClient({ outbound, ...address }),
    createActorAssertions(assertionKey),
  )
  return { plugins, call }
}

function generatedCredential(dataDir: string): Promise<string> {
  return persistentSecret({
    directory: dataDir,
    file: 'runtime-credential',
    make: () => crypto.randomUUID() + crypto.randomUUID(),
  })
}
