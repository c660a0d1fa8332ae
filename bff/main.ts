import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { openServer } from '#database/open.ts'
import { createLog, fieldsFirst } from '#edge/log.ts'
import { runProgram } from '#edge/program.ts'
import type { Program } from '#edge/program.ts'
import { serve } from '#edge/serve.ts'
import type { RunningServer } from '#edge/serve.ts'
import { readSettings, SettingsError } from '#edge/settings.ts'
import { loadActorKey } from './actor-key.ts'
import { createConsole } from './app.ts'
import { greet } from './greeting.ts'
import { readConsoleSettings } from './settings.ts'

const Place = z.object({
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.string().optional(),
})

/** A replica of the console alone, for a runtime elsewhere. */
async function main({ onStop, end }: Program): Promise<void> {
  const settings = readConsoleSettings(process.env)
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl = null } = readSettings(Place, process.env)
  const { runtime } = settings
  if (runtime === null)
    throw new SettingsError('RUNTIME_API_BASE is not set: the address of the runtime is needed')
  const folder = join(import.meta.dirname, '..', 'dist', 'web')
  if (!existsSync(folder)) throw new SettingsError('The console is not built yet: run "npm run build" first')

  const log = createLog({ name: 'bundle-console', level: settings.logLevel })
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const database = await openServer({ databaseUrl, dataDir, log: fieldsFirst(log) })
  onStop(() => database.stop())
  void database.failed.then(() => end(1, 'The embedded database ended by itself. See its log in DATA_DIR.'))

  let server: RunningServer | null = null
  const bff = await createConsole({
    connection: database.connection,
    outlast: (step) => database.outlast(step),
    dataDir,
    settings: settings.auth,
    runtime,
    assertionKey: await loadActorKey(dataDir),
    folder,
    rates: settings.rates,
    loopback: () => `http://127.0.0.1:${server?.port ?? settings.port}`,
    log,
  })
  onStop(() => bff.stop())
  server = await serve({
    app: bff.app,
    port: settings.port,
    ...(bff.front !== null && { front: bff.front }),
  })
  const listening = server
  onStop(() => listening.stop({ graceMs: 2_000 }))
  await greet(bff.signIn)
}

await runProgram(main)
