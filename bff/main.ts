import { existsSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { checkServer, openServer } from '#database/open.ts'
import type { OpenServer } from '#database/open.ts'
import { fromUrl } from '#database/settings.ts'
import { createLoadGuard } from '#http-kit/load-guard.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { listen } from '#http-kit/serve.ts'
import { readSettings, SettingsError, variableOf, whole } from '#http-kit/settings.ts'
import { loadActorKey } from './runtime/actor-assertion.ts'
import { createConsole } from './app.ts'
import { greet } from './greeting.ts'
import { openConsoleDatabase } from './database.ts'
import { securityHeadersFor } from './middleware/security-headers.ts'
import { readConsoleSettings } from './settings.ts'

const StorageEnvironment = z.object({
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.string().optional(),
  DATABASE_DIRECT_URL: z.string().optional(),
  DATABASE_WAIT_SECONDS: whole(60, { min: 0, max: 86_400 }),
  DATABASE_MIGRATE: z.enum(['on', 'off'], 'on or off is needed').default('on'),
})

/** Starts a replica of the console alone, for a separate runtime. */
async function main({ onStop, end, ending }: Program): Promise<void> {
  const settings = readConsoleSettings(process.env)
  const {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl = null,
    DATABASE_DIRECT_URL: directUrl,
    DATABASE_WAIT_SECONDS: waitSeconds,
    DATABASE_MIGRATE: migrate,
  } = readSettings(StorageEnvironment, process.env)
  const { runtime } = settings
  if (runtime === null)
    throw new SettingsError('RUNTIME_API_BASE is not set: the address of the runtime is required')
  const folder = join(import.meta.dirname, '..', 'dist', 'web')
  if (!existsSync(folder)) throw new SettingsError('The console is not built yet: run "npm run build" first')

  const log = createLog({ name: 'bundle-console', level: settings.logLevel })
  // before anything is created: a start that cannot succeed leaves nothing behind
  checkServer({ databaseUrl, dataDir, variable: variableOf(process.env, 'DATABASE_URL') })
  // beside the embedded database it would be another one
  if (directUrl !== undefined && databaseUrl === null)
    throw new SettingsError('DATABASE_URL is not set: DATABASE_DIRECT_URL needs it')
  const direct =
    directUrl === undefined ? undefined : fromUrl(directUrl, variableOf(process.env, 'DATABASE_DIRECT_URL'))
  const { assertionKeyFile = null } = settings
  // a wrong file is told even while the database is away
  const namedKey = assertionKeyFile === null ? null : await loadActorKey(dataDir, assertionKeyFile)
  const listener = await listen({
    port: settings.port,
    hostname: settings.host,
    addressVariable: 'HOST',
    headers: securityHeadersFor('data', settings.auth.publicOrigin.startsWith('https:')),
  })
  const server = await openServer({
    databaseUrl,
    dataDir,
    log: fieldsFirst(log),
    waitMs: waitSeconds * 1_000,
    signal: ending,
  })
  onStop(() => server.stop())
  void server.failed.then(() =>
    end(1, 'The embedded database stopped unexpectedly. See its log in DATA_DIR.'),
  )

  const { connection } = server
  const retryWhileAway: OpenServer['retryWhileAway'] = (step) => server.retryWhileAway(step)
  const database = await openConsoleDatabase({
    connection,
    ...(direct !== undefined && { direct }),
    retryWhileAway,
    migrates: migrate === 'on',
    log,
  })
  onStop(() => database.close())
  const bff = await createConsole({
    database,
    retryWhileAway,
    dataDir,
    settings: settings.auth,
    runtime,
    isRuntimeRemote: true,
    assertionKey: namedKey ?? (await loadActorKey(dataDir)),
    folder,
    rates: settings.rates,
    loopback: () => `http://127.0.0.1:${listener.port}`,
    load: createLoadGuard(),
    log,
  })
  onStop(() => bff.stop())
  listener.serve({ app: bff.app, ...(bff.front !== null && { front: bff.front }) })
  onStop(() => listener.stop({ graceMs: 2_000 }))
  await greet(bff.signIn, { isForPeople: process.stdout.isTTY })
}

await runProgram(main)
