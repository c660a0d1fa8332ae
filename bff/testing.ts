import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { freePort } from '#database/free-port.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Clock } from '#http-kit/clock.ts'
import { createLog } from '#http-kit/log.ts'
import { requestId } from '#http-kit/requests.ts'
import { serve } from '#http-kit/serve.ts'
import { createAuth } from './oidc/auth-app.ts'
import type { Auth } from './oidc/auth-app.ts'
import type { AuthSettings } from './settings.ts'
import type { ConfiguredUser } from './oidc/users.ts'
import { ConsoleFailure, problemOf } from './failure.ts'
import { provenance, publicHost } from './middleware/provenance.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { hashPassword, issueFirstPasswords } from './oidc/passwords.ts'
import type { Cost, NewUser } from './oidc/passwords.ts'
import type { SessionVariables } from './session/sessions.ts'
import type { RoleGrant } from './roles.ts'
import { insertUser } from './store/idp-users.ts'
import { bffMigrations } from './store/tables.ts'
import type { BffDb, BffTables } from './store/tables.ts'

export interface AuthServer {
  origin: string
  /** The address on which it listens. */
  address: string
  auth: Auth
  /** Users of the embedded identity provider, with the passwords shown at the start. */
  newUsers: NewUser[]
  database: Database<BffTables>
  /** The complete log output. */
  log: () => string
  /** Starts another replica on the same database, at its own address. */
  replica(): Promise<{ address: string }>
  stop(): Promise<void>
}

export const EVERYWHERE = (role: RoleGrant['role']): RoleGrant => ({ role, scope: null })

/** A database with the tables of the BFF, for tests. */
export async function openBffDatabase(): Promise<Database<BffTables>> {
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  const database = openDatabase<BffTables>(connection)
  return {
    ...database,
    close: async () => {
      await database.close()
      await close()
    },
  }
}

/** The auth part of the BFF as its app mounts it, on a real server and a real database, for tests. */
export async function startAuthServer(
  changes: Partial<AuthSettings> = {},
  clock: Pick<Clock, 'now'> = systemClock,
): Promise<AuthServer> {
  const database = await openBffDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'bff-test-'))
  const origin = changes.publicOrigin ?? `http://localhost:${await freePort()}`
  const settings: AuthSettings = {
    publicOrigin: origin,
    externalIdp: null,
    rolesClaim: 'roles',
    users: null,
    limits: { idleSeconds: 900, absoluteSeconds: 28_800 },
    recentSignInSeconds: 300,
    trustedProxyHops: 0,
    ...changes,
  }
  await insertUsers(database.db, settings.users ?? [])
  let logged = ''
  const log = createLog({ name: 'bff', level: 'debug', stream: { write: (line) => (logged += line) } })
  const started: { stop(): Promise<void> }[] = []
  const start = async (port: number) => {
    let address = ''
    const auth = await createAuth({ db: database.db, settings, dataDir, loopback: () => address, clock, log })
    const server = await serve({
      app: appOf(auth, origin),
      port,
      ...(auth.front !== null && { front: auth.front }),
    })
    address = `http://127.0.0.1:${server.port}`
    const running = { auth, address, stop: () => server.stop({ graceMs: 100 }) }
    started.push(running)
    return running
  }
  const first = await start(Number(new URL(origin).port))
  const passwords =
    first.auth.issueFirstPasswords === null ? null : await issueFirstPasswords(database.db, {}, CHEAP)
  await passwords?.confirmShown()
  return {
    origin,
    address: first.address,
    auth: first.auth,
    newUsers: passwords?.users ?? [],
    database,
    log: () => logged,
    replica: () => start(0),
    async stop() {
      await Promise.all(started.map((running) => running.stop()))
      await database.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** Of passwords that cost next to nothing to hash and to check; those of the product take a quarter of a second. */
export const CHEAP: Cost = { logN: 4, r: 8, p: 1 }

/** Users with cheap passwords. */
export async function insertUsers(db: BffDb, users: readonly ConfiguredUser[]): Promise<void> {
  for (const { username, password, roles } of users) {
    const passwordHash = await hashPassword(password, CHEAP)
    await insertUser(db, {
      username,
      sub: randomUUID(),
      name: username,
      passwordHash,
      roles,
      isPasswordShown: true,
    })
  }
}

function appOf(auth: Auth, publicOrigin: string): Hono<{ Variables: SessionVariables }> {
  const app = new Hono<{ Variables: SessionVariables }>()
  app.use(requestId({ trustInbound: false }), securityHeaders({ publicOrigin }))
  app.route('/', auth.machineRoutes)
  app.use(publicHost({ publicOrigin }))
  app.use(provenance({ publicOrigin }))
  app.use('/api/*', auth.requireSession)
  app.route('/', auth.routes)
  app.all('/api/echo', (c) => c.json({ id: c.var.person.id }))
  app.get('/api/events', async (c) => c.json({ isStillSignedIn: (await auth.findPerson(c)) !== null }))
  app.get('*', (c) => c.html('<p>the console</p>'))
  app.onError((error, c) => {
    const failure = error instanceof ConsoleFailure ? error : new ConsoleFailure('INTERNAL_ERROR')
    const problem = problemOf(failure, c.var.requestId)
    return c.json(problem, problem.status as ContentfulStatusCode, {
      'content-type': 'application/problem+json',
    })
  })
  return app
}
