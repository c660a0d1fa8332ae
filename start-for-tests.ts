import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#database/pool.ts'
import { freePort } from '#database/free-port.ts'
import { toUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import type { ConsoleSettings } from '#bff/settings.ts'
import { bffMigrations } from '#bff/store/tables.ts'
import type { BffTables } from '#bff/store/tables.ts'
import { insertUsers } from '#bff/testing.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { startAll } from './start.ts'
import type { Running, StartOptions } from './start.ts'

export interface TestSystemOptions extends Partial<Pick<StartOptions, 'documentWaitMs'>> {
  /** The console's; default: a free one. */
  port?: number
  auth: Partial<ConsoleSettings['auth']>
  /** Of the runtime, each accepted; default: a generated one. */
  credentials?: readonly string[]
  /** The list may be changed later. */
  egressAllow?: StartOptions['runtime']['egressAllow']
  /** Whether to run the example plugins; default false. */
  plugins?: boolean
  /** The built console; default: `dist/web`. */
  folder?: string
  /** Of requests of a person; default: the console's. A fast machine reaches those with a few hundred writes in a row. */
  rates?: ConsoleSettings['rates']
  /** Default `silent`. */
  logLevel?: ConsoleSettings['logLevel']
  /** The PostgreSQL server for its database; default: see {@link testDatabase}. */
  server?: string
}

export interface TestSystem extends Running {
  dataDir: string
  /** Of its own database. */
  connection: ConnectionSettings
}

/** Everything as `npm start` runs it, for a test: with its own database and folder, which `stop` removes. */
export async function startForTests(options: TestSystemOptions): Promise<TestSystem> {
  const { plugins = false, folder = join(import.meta.dirname, 'dist', 'web'), documentWaitMs } = options
  const { credentials, egressAllow = [{ kind: 'loopback' }], logLevel = 'silent', rates, server } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'test-system-'))
  const { connection, close } = await testDatabase({
    ...(server !== undefined && { server }),
    migrations: [RUNTIME_MIGRATIONS, bffMigrations],
  })
  const port = options.port ?? (await freePort())
  const auth = {
    publicOrigin: `http://localhost:${port}`,
    externalIdp: null,
    rolesClaim: 'roles',
    users: null,
    limits: { idleSeconds: 900, absoluteSeconds: 28_800 },
    recentSignInSeconds: 300,
    trustedProxyHops: 0,
    ...options.auth,
  }
  const tables = openDatabase<BffTables>(connection)
  await insertUsers(tables.db, auth.users ?? [])
  await tables.close()
  const running = await startAll({
    dataDir,
    databaseUrl: toUrl(connection),
    ...(documentWaitMs !== undefined && { documentWaitMs }),
    console: { port, auth, runtime: null, logLevel, ...(rates !== undefined && { rates }) },
    runtime: {
      port: await freePort(),
      platformApiBase: null,
      egressAllow,
      ...(credentials !== undefined && { credentials }),
    },
    plugins,
    folder,
    log: createLog({ name: 'test', level: logLevel }),
  })
  return {
    ...running,
    dataDir,
    connection,
    stop: async () => {
      await running.stop()
      await close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
