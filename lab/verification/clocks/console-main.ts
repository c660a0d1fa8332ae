import { loadActorKey } from '#bff/runtime/actor-assertion.ts'
import { createConsole } from '#bff/app.ts'
import { openConsoleDatabase } from '#bff/database.ts'
import { createLog } from '#http-kit/log.ts'
import { fromUrl } from '#database/settings.ts'
import { serve } from '#http-kit/serve.ts'

// A console without pages, for a separate runtime.

/** What the suite passes to this program. */
export interface ConsoleProgramSettings {
  databaseUrl: string
  /** With the key of its assertions. */
  dataDir: string
  port: number
  runtime: { baseUrl: string; credential: string }
  user: { username: string; password: string }
}

// written by the suite that starts this process
const settings = JSON.parse(process.argv[2] ?? '{}') as ConsoleProgramSettings
const { dataDir, port, runtime, user } = settings
const log = createLog({ name: 'bundle-console', level: 'warn' })
const database = await openConsoleDatabase({ connection: fromUrl(settings.databaseUrl), log })
const bff = await createConsole({
  database,
  dataDir,
  settings: {
    publicOrigin: `http://localhost:${port}`,
    externalIdp: null,
    rolesClaim: 'roles',
    users: [{ ...user, roles: [{ role: 'admin', scope: null }] }],
    limits: { idleSeconds: 900, absoluteSeconds: 28_800 },
    recentSignInSeconds: 300,
    trustedProxyHops: 0,
  },
  runtime,
  isRuntimeRemote: true,
  assertionKey: await loadActorKey(dataDir),
  folder: dataDir,
  loopback: () => `http://127.0.0.1:${port}`,
  log,
})
await serve({ app: bff.app, port, ...(bff.front !== null && { front: bff.front }) })
console.log('the console is ready')
