import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#database/free-port.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { createLog } from '#http-kit/log.ts'
import type { Log } from '#http-kit/log.ts'
import { serve } from '#http-kit/serve.ts'
import { loadActorKey } from './runtime/actor-assertion.ts'
import { createConsole } from './app.ts'
import type { ConsoleOptions } from './app.ts'
import { openConsoleDatabase } from './database.ts'
import type { RoleGrant } from './roles.ts'
import { EVERYWHERE, insertUsers } from './testing.ts'

/**
 * A complete console on a real server, for tests. The password of all users is `correct horse`; by default there is one
 * user, the administrator `ada`. Without `runtimeUrl` there is no runtime; without `folder` there is no page. A `dataDir`
 * that is given is kept.
 */
export async function startConsole({
  runtimeUrl = 'http://127.0.0.1:1/bundle-runtime/api',
  connection,
  credential = 'a credential of the test',
  roles = { ada: [EVERYWHERE('admin')] },
  dataDir: givenDataDir,
  log = createLog({ name: 'test', level: 'silent' }),
  servesMetrics = true,
  publicOrigin,
  ...options
}: Pick<ConsoleOptions, 'rates' | 'programRates'> & {
  servesMetrics?: boolean | 'direct'
  /** Default: the address of the server. */
  publicOrigin?: string
  connection: ConnectionSettings
  runtimeUrl?: string
  /** For the runtime. */
  credential?: string
  dataDir?: string
  log?: Log
  /** By user name. */
  roles?: Readonly<Record<string, RoleGrant[]>>
  folder?: string
}): Promise<{ origin: string; stop(): Promise<void> }> {
  const dataDir = givenDataDir ?? mkdtempSync(join(tmpdir(), 'bff-console-'))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const database = await openConsoleDatabase({ connection, log })
  const users = Object.entries(roles).map(([username, granted]) => ({
    username,
    password: 'correct horse',
    roles: granted,
  }))
  await insertUsers(database.db, users)
  const bff = await createConsole({
    folder: import.meta.dirname,
    ...options,
    database,
    dataDir,
    settings: {
      publicOrigin: publicOrigin ?? origin,
      externalIdp: null,
      rolesClaim: 'roles',
      users,
      limits: { idleSeconds: 900, absoluteSeconds: 900 },
      recentSignInSeconds: 300,
      trustedProxyHops: 0,
      servesMetrics,
    },
    runtime: { baseUrl: runtimeUrl, credential },
    assertionKey: await loadActorKey(dataDir),
    loopback: () => `http://127.0.0.1:${port}`,
    log,
  })
  const server = await serve({ app: bff.app, port, ...(bff.front !== null && { front: bff.front }) })
  return {
    origin,
    async stop() {
      await server.stop({ graceMs: 100 })
      await bff.stop()
      await database.close()
      if (givenDataDir === undefined) rmSync(dataDir, { recursive: true })
    },
  }
}
