import { parseArgs } from 'node:util'
import { bffMigrations } from '#bff/store/tables.ts'
import { findPending, migrate } from '#database/migrate.ts'
import { openServer } from '#database/open.ts'
import { openDatabase } from '#database/pool.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { readRuntimeSettings } from '#runtime/config.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'

const USAGE = 'npm run migrate [-- --check]'

/**
 * Migrates the schemas of runtime and console, over `DATABASE_DIRECT_URL` if it is set. With `--check` it only lists
 * what is pending, and exits with 1 if anything is.
 */
async function main({ onStop, end, ending }: Program): Promise<void> {
  const isCheck = readArguments()
  const { database, dataDir, logLevel } = readRuntimeSettings(process.env)
  const log = createLog({ name: 'migrate', level: logLevel === 'debug' ? 'debug' : 'warn' })
  const server = await openServer({
    databaseUrl: database.directUrl ?? database.url,
    dataDir,
    log: fieldsFirst(log),
    waitMs: database.waitMs,
    connectTimeoutMs: database.limits.connectTimeoutMs,
    signal: ending,
  })
  onStop(() => server.stop())
  const { pool, close } = openDatabase(server.connection, {
    max: 1,
    applicationName: 'bundle-console-migrate',
  })
  onStop(close)
  let pending = 0
  for (const source of [RUNTIME_MIGRATIONS, bffMigrations]) {
    const names = isCheck
      ? await findPending(pool, source)
      : await server.retryWhileAway(() => migrate(pool, source))
    pending += names.length
    const done = isCheck ? 'pending' : 'ran'
    console.log(
      names.length === 0
        ? `${source.schema}: the schema is current`
        : `${source.schema}: ${names.length} ${names.length === 1 ? 'migration' : 'migrations'} ${done}: ${names.join(' ')}`,
    )
  }
  end(isCheck && pending > 0 ? 1 : 0)
}

function readArguments(): boolean {
  try {
    return parseArgs({ options: { check: { type: 'boolean' } } }).values.check ?? false
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
}

await runProgram(main)
