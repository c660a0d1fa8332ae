import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#database/free-port.ts'
import { createLoadGuard } from '#http-kit/load-guard.ts'
import { createLog } from '#http-kit/log.ts'
import { buildDemo } from '../../demo/build-demo.ts'
import { startAll } from '../../start.ts'
import type { Running } from '../../start.ts'

export interface BenchSystem extends Running {
  dataDir: string
  user: User
  /** Everybody who can sign in, with `user`. */
  people: User[]
}

interface User {
  username: string
  password: string
}

const UNLIMITED = { perSecond: 1e6, burst: 1e6 }

/**
 * The whole system as `npm start` runs it, with the demo, on its own directory; and on this database, if one is named. Nobody is limited,
 * unless `isLimited`.
 */
export async function startBenchSystem({
  databaseUrl = null,
  people: count = 1,
  isLimited = false,
}: { databaseUrl?: string | null; people?: number; isLimited?: boolean } = {}): Promise<BenchSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const [port, runtimePort] = [await freePort(), await freePort()]
  const user = { username: 'bench', password: 'a password for benchmarks' }
  const people = Array.from({ length: count }, (_, at) =>
    at === 0 ? user : { ...user, username: `bench-${at}` },
  )
  const running = await startAll({
    dataDir,
    databaseUrl,
    console: {
      port,
      auth: {
        publicOrigin: `http://localhost:${port}`,
        externalIdp: null,
        rolesClaim: 'roles',
        users: people.map((one) => ({ ...one, roles: [{ role: 'admin' as const, scope: null }] })),
        limits: { idleSeconds: 3_600, absoluteSeconds: 3_600 },
        recentSignInSeconds: 300,
        trustedProxyHops: 0,
      },
      runtime: null,
      logLevel: 'error',
      ...(!isLimited && { rates: { reads: UNLIMITED, writes: UNLIMITED } }),
    },
    runtime: {
      port: runtimePort,
      platformApiBase: null,
      egressAllow: [{ kind: 'loopback' }],
    },
    ...(isLimited && { load: createLoadGuard() }),
    plugins: true,
    folder: new URL('../../dist/web', import.meta.url).pathname,
    log: createLog({ name: 'bench', level: 'error' }),
  })
  if (running.call === null || running.plugins === null)
    throw new Error('The system does not run its own runtime')
  await buildDemo({ call: running.call, plugins: running.plugins })
  return {
    ...running,
    dataDir,
    user,
    people,
    async stop() {
      await running.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
