import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#database/free-port.ts'
import { createLog } from '#http-kit/log.ts'
import { serve } from '#http-kit/serve.ts'
import { loadActorKey } from './actor-key.ts'
import { createConsole } from './app.ts'
import type { ConsoleOptions } from './app.ts'
import { EVERYWHERE } from './testing.ts'

/** A whole console on a real server, for tests: one user, `ada` with the password `correct horse`, and no runtime. */
export async function startConsole(
  options: Pick<ConsoleOptions, 'connection' | 'rates'>,
): Promise<{ origin: string; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bff-console-'))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const bff = await createConsole({
    ...options,
    dataDir,
    settings: {
      publicOrigin: origin,
      externalIdp: null,
      rolesClaim: 'roles',
      users: [{ username: 'ada', password: 'correct horse', roles: [EVERYWHERE('admin')] }],
      limits: { idleSeconds: 900, absoluteSeconds: 900 },
      trustedProxyHops: 0,
    },
    runtime: { baseUrl: 'http://127.0.0.1:1/bundle-runtime/api', credential: 'a credential of the test' },
    assertionKey: await loadActorKey(dataDir),
    folder: import.meta.dirname,
    loopback: () => `http://127.0.0.1:${port}`,
    log: createLog({ name: 'test', level: 'silent' }),
  })
  const server = await serve({ app: bff.app, port, ...(bff.front !== null && { front: bff.front }) })
  return {
    origin,
    async stop() {
      await server.stop({ graceMs: 100 })
      await bff.stop()
      rmSync(dataDir, { recursive: true })
    },
  }
}
