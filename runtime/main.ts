import { mkdir } from 'node:fs/promises'
import { openServer } from '#database/open.ts'
import { createLog } from '#edge/log.ts'
import type { Log, LogFields } from '#edge/log.ts'
import { serve } from '#edge/serve.ts'
import { settingsMain, SettingsError } from '#edge/settings.ts'
import { createRuntime } from './app.ts'
import { loadActorKeys, readRuntimeSettings } from './config.ts'

/** A replica of the runtime alone, for a console and a database elsewhere. */
async function main(): Promise<void> {
  const settings = readRuntimeSettings(process.env)
  const { credential, actorAssertionJwks } = settings
  if (credential === null)
    throw new SettingsError('RUNTIME_API_CREDENTIAL is not set: the console must know the same secret')
  if (actorAssertionJwks === null)
    throw new SettingsError(
      "ACTOR_ASSERTION_JWKS is not set: the file or URL of the console's keys is needed",
    )

  const log = createLog({ name: 'bundle-runtime', level: settings.logLevel })
  log.addSecret(credential)
  await mkdir(settings.dataDir, { recursive: true, mode: 0o700 })
  const actorKeys = await loadActorKeys(actorAssertionJwks)
  const { databaseUrl, dataDir } = settings
  const database = await openServer({ databaseUrl, dataDir, log: databaseLog(log) })
  const runtime = await createRuntime({
    connection: database.connection,
    dataDir: settings.dataDir,
    platformApiBase: settings.platformApiBase,
    egressAllow: settings.egressAllow,
    credentials: [credential],
    actorKeys,
    log,
  })
  await runtime.start()
  const server = await serve({
    app: runtime.app,
    port: settings.port,
    hostname: settings.host,
    portVariable: 'RUNTIME_PORT',
  })
  log.info('the runtime listens', { port: server.port })

  let isStopping = false
  const stop = async (exitCode: number): Promise<void> => {
    if (isStopping) return
    isStopping = true
    // new requests first, then the streams and the work, and the database that they need last
    const closed = server.stop()
    await runtime.stop()
    await closed
    await database.stop()
    process.exit(exitCode)
  }
  const stopOn = (why: string, exitCode: number) => (error?: unknown) => {
    if (exitCode === 0) log.info(why)
    else log.error(why, {}, error)
    void stop(exitCode)
  }
  process.once('SIGTERM', stopOn('stopping', 0))
  process.once('SIGINT', stopOn('stopping', 0))
  process.once('uncaughtException', stopOn('stopping after an error that nobody expected', 1))
  process.once('unhandledRejection', stopOn('stopping after an error that nobody expected', 1))
  void database.failed.then(stopOn('stopping: the embedded database ended', 1))
}

function databaseLog(log: Log) {
  const fieldsOf = (fields: object) => fields as LogFields
  return {
    info: (fields: object, message: string) => log.info(message, fieldsOf(fields)),
    warn: (fields: object, message: string) => log.warn(message, fieldsOf(fields)),
    error: (fields: object, message: string) => log.error(message, fieldsOf(fields)),
  }
}

await settingsMain(main)
