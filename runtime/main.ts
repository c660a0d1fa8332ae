import { mkdir } from 'node:fs/promises'
import { openServer } from '#database/open.ts'
import { createLog, fieldsFirst } from '#edge/log.ts'
import { runProgram } from '#edge/program.ts'
import type { Program } from '#edge/program.ts'
import { serve } from '#edge/serve.ts'
import { SettingsError } from '#edge/settings.ts'
import { createRuntime } from './app.ts'
import { loadActorKeys, readRuntimeSettings } from './config.ts'

/** A replica of the runtime alone, for a console and a database elsewhere. */
async function main({ onStop, end }: Program): Promise<void> {
  const settings = readRuntimeSettings(process.env)
  const { credential, actorAssertionJwks, databaseUrl, dataDir } = settings
  if (credential === null)
    throw new SettingsError('RUNTIME_API_CREDENTIAL is not set: the console must know the same secret')
  if (actorAssertionJwks === null)
    throw new SettingsError(
      "ACTOR_ASSERTION_JWKS is not set: the file or URL of the console's keys is needed",
    )

  const log = createLog({ name: 'bundle-runtime', level: settings.logLevel })
  log.addSecret(credential)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const actorKeys = await loadActorKeys(actorAssertionJwks)
  const database = await openServer({ databaseUrl, dataDir, log: fieldsFirst(log) })
  onStop(() => database.stop())
  void database.failed.then(() => end(1, 'The embedded database ended by itself. See its log in DATA_DIR.'))
  const runtime = await createRuntime({
    connection: database.connection,
    dataDir,
    platformApiBase: settings.platformApiBase,
    egressAllow: settings.egressAllow,
    credentials: [credential],
    actorKeys,
    log,
  })
  onStop(() => runtime.stop())
  await runtime.start()
  const server = await serve({
    app: runtime.app,
    port: settings.port,
    hostname: settings.host,
    portVariable: 'RUNTIME_PORT',
  })
  onStop(() => server.stop({ graceMs: 2_000 }))
  log.info('the runtime listens', { port: server.port })
}

await runProgram(main)
