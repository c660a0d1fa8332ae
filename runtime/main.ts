import { createLocalJWKSet } from 'jose'
import { checkServer, openServer } from '#database/open.ts'
import { fromUrl } from '#database/settings.ts'
import { createLoadGuard } from '#http-kit/load-guard.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import { runProgram, type Program } from '#http-kit/program.ts'
import { listen } from '#http-kit/serve.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { createRuntime } from './app.ts'
import { loadActorKeys, readRuntimeSettings } from './config.ts'
import { HEADER_BYTES_MAX } from './http/http-app.ts'
import { readSealingKeys } from './keys/sealing-key.ts'
import { requireArchive } from './retention/archive-receipts.ts'

/** Plugin calls get ten seconds to end, and database statements a little more. */
const DRAIN_MS = 20_000

/** A standalone replica of the runtime, for a console and a database elsewhere. */
async function main({ onStop, end, ending }: Program): Promise<void> {
  const role = readRole(process.argv.slice(2))
  const settings = readRuntimeSettings(process.env)
  const { dataDir, database: databaseSettings, shutdownDelayMs } = settings
  const callers = role.api ? await callersOf(settings) : NO_CALLERS

  const log = createLog({ name: 'bundle-runtime', level: settings.logLevel })
  for (const credential of callers.credentials) log.addSecret(credential)
  await requireArchive(settings.retention.archive)
  // before anything is created: a start that cannot succeed leaves nothing behind
  checkServer({ databaseUrl: databaseSettings.url, dataDir })
  // a wrong file is told even while the database is away
  await readSealingKeys({ dataDir, files: settings.sealingKeyFiles })
  const listener = await listen({
    port: settings.port,
    hostname: settings.host,
    portVariable: 'RUNTIME_PORT',
    maxHeaderBytes: HEADER_BYTES_MAX,
  })
  const database = await openServer({
    databaseUrl: databaseSettings.url,
    dataDir,
    log: fieldsFirst(log),
    waitMs: databaseSettings.waitMs,
    connectTimeoutMs: databaseSettings.limits.connectTimeoutMs,
    signal: ending,
  })
  onStop(() => database.stop(), 40_000)
  void database.failed.then(() =>
    end(1, 'The embedded database stopped unexpectedly. See its log in DATA_DIR.'),
  )
  const runtime = await createRuntime({
    connection: database.connection,
    isExclusive: database.isExclusive,
    ...(databaseSettings.directUrl !== null && { direct: fromUrl(databaseSettings.directUrl) }),
    ...(databaseSettings.readUrl !== null && { standby: fromUrl(databaseSettings.readUrl) }),
    migrates: databaseSettings.migrates,
    listens: databaseSettings.listens,
    connections: databaseSettings.connections,
    limits: databaseSettings.limits,
    dataDir,
    sealingKeyFiles: settings.sealingKeyFiles,
    platformApiBase: settings.platformApiBase,
    egressAllow: settings.egressAllow,
    ownAddresses: () => [...settings.egressDeny, { host: null, port: listener.port }],
    ...callers,
    recentSignInSeconds: settings.recentSignInSeconds,
    retention: settings.retention,
    load: createLoadGuard(),
    log,
    worker: role.worker ? { leaseMs: settings.leaseMs } : 'off',
  })
  onStop(() => runtime.stop())
  await database.retryWhileAway(() => runtime.start())
  listener.serve({ app: runtime.app })
  onStop(() => listener.stop({ graceMs: 2_000 }))
  onStop(() => runtime.drain(shutdownDelayMs), shutdownDelayMs + DRAIN_MS)
  log.info(role.title, { port: listener.port })
}

const NO_CALLERS = { api: 'off' as const, credentials: [], actorKeys: createLocalJWKSet({ keys: [] }) }

async function callersOf({ credentials, actorAssertionJwks }: ReturnType<typeof readRuntimeSettings>) {
  if (credentials.length === 0)
    throw new SettingsError('RUNTIME_API_CREDENTIAL is not set: set it to the secret that the console uses')
  if (actorAssertionJwks === null)
    throw new SettingsError(
      "ACTOR_ASSERTION_JWKS is not set: set it to the file or URL of the console's keys",
    )
  return { credentials, actorKeys: await loadActorKeys(actorAssertionJwks) }
}

/** What a replica runs. */
interface Role {
  api: boolean
  worker: boolean
  /** The log message when it is listening. */
  title: string
}

const OPTIONS = ['--api', '--worker']

/** @throws SettingsError for an unknown option. */
function readRole(args: readonly string[]): Role {
  const unknown = args.find((argument) => !OPTIONS.includes(argument))
  if (unknown !== undefined)
    throw new SettingsError(`${unknown} is not an option; use --api or --worker, or neither for both`)
  const both = OPTIONS.every((option) => args.includes(option) === args.includes('--api'))
  if (both) return { api: true, worker: true, title: 'the runtime is listening' }
  return args.includes('--api')
    ? { api: true, worker: false, title: 'the runtime is listening; other replicas run the operations' }
    : { api: false, worker: true, title: 'the worker is running; its port serves only health and metrics' }
}

await runProgram(main)
