import { Hono } from 'hono'
import { pendingMigrations } from '#database/migrate.ts'
import type { Migration } from '#database/migrate.ts'
import { CLAIM_STATES } from '#contract/runtime-api/vocabulary.ts'
import { TransportError } from '#edge/problem.ts'
import { countClaims } from '../store/overview/count-claims.ts'
import { listAppliedMigrations } from '../store/migrations.ts'
import { listSigningKeys } from '../store/signing-keys/list-signing-keys.ts'
import type { World } from '../world.ts'
import type { Metrics } from './metrics.ts'
import { refuseMethod } from './mount.ts'
import type { HttpApp, HttpVariables } from './mount.ts'

export interface HealthOptions {
  world: World
  metrics: Metrics
  /** The migrations that this program comes with. */
  migrations: readonly Migration[]
}

/** What machines ask, outside the envelope and without a credential; none of it tells anything of a scope or person. */
export function healthRoutes({ world, metrics, migrations }: HealthOptions): HttpApp {
  const app = new Hono<{ Variables: HttpVariables }>()

  app.get('/healthz', (c) => c.json({ status: 'ok' }))

  app.get('/readyz', async (c) => {
    const applied = await listAppliedMigrations(world.db).catch(() => null)
    if (applied === null) throw notReady('The database cannot be reached')
    if (!isUpToDate([...migrations], applied))
      throw notReady('The database schema is not the one of this version')
    return c.json({ status: 'ready' })
  })

  app.get('/metrics', async (c) => {
    const claims = await countClaims(world.db)
    const gauges = CLAIM_STATES.map((state) => ({
      name: 'bundle_runtime_operations',
      labels: { state },
      value: claims.find((claim) => claim.state === state)?.count ?? 0,
    }))
    return c.text(metrics.render(gauges), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
  })

  app.get('/.well-known/jwks.json', async (c) =>
    // short enough that a new replica's key is known everywhere before anybody relies on it
    c.json({ keys: await listSigningKeys(world.db) }, 200, { 'cache-control': 'public, max-age=60' }),
  )

  for (const path of ['/healthz', '/readyz', '/metrics', '/.well-known/jwks.json'])
    app.all(path, (c) => refuseMethod(c, ['GET']))
  return app
}

function isUpToDate(migrations: Migration[], applied: { name: string; sha256: string }[]): boolean {
  try {
    return pendingMigrations('runtime', migrations, applied).length === 0
  } catch {
    return false
  }
}

function notReady(message: string): TransportError {
  return new TransportError('SERVICE_UNAVAILABLE', message, { 'retry-after': '1' })
}
