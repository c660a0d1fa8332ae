import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { request } from 'undici'
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
import { provenance } from './middleware/provenance.ts'
import { publicHost } from './middleware/public-host.ts'
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

/** Sends a request with exactly these headers, including `host`, which fetch does not send. */
async function send(url: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
  const answer = await request(url, {
    method: (init.method ?? 'GET') as 'GET',
    headers: init.headers,
    body: typeof init.body === 'string' ? init.body : null,
  })
  const headers = new Headers()
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values ?? []].flat()) headers.append(name, value)
  }
  const body = await answer.body.bytes()
  return new Response(body.length === 0 ? null : body, { status: answer.statusCode, headers })
}

/** Behaves like a browser during sign-in: stores cookies by path and sends a browser's headers. */
export class TestBrowser {
  /** By name and path, because two paths may have a cookie of the same name. */
  readonly cookies = new Map<string, { name: string; value: string; path: string; attributes: string }>()
  /** The address to connect to, for a public address in front of several replicas. */
  connectTo: string | null = null
  private readonly origin: string

  constructor(origin: string) {
    this.origin = origin
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, this.origin)
    const cookie = [...this.cookies.values()]
      .filter(({ path: under }) => url.pathname.startsWith(under))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const headers = {
      ...(cookie !== '' && { cookie }),
      ...(this.connectTo !== null && { host: new URL(this.origin).host }),
      ...(init.headers as Record<string, string>),
    }
    const response = await send(`${this.connectTo ?? this.origin}${url.pathname}${url.search}`, {
      ...init,
      headers,
    })
    for (const text of response.headers.getSetCookie()) this.keep(text)
    return response
  }

  /** The console's session cookie, as `name=value`; null without one. */
  get session(): string | null {
    const cookie = [...this.cookies.values()].find(({ name }) =>
      /^(?:__Host-Http-)?console_.*session$/.test(name),
    )
    return cookie === undefined ? null : `${cookie.name}=${cookie.value}`
  }

  private keep(text: string): void {
    const [pair = '', ...attributes] = text.split(/;\s*/)
    const equals = pair.indexOf('=')
    const name = pair.slice(0, equals)
    const path = attributes.find((part) => /^path=/i.test(part))?.slice(5) ?? '/'
    const isGone = /(?:^|; )(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(attributes.join('; '))
    if (isGone) this.cookies.delete(name + path)
    else
      this.cookies.set(name + path, {
        name,
        value: pair.slice(equals + 1),
        path,
        attributes: attributes.join('; '),
      })
  }

  /** Follows redirects from a path to a page; returns the response and the addresses visited. */
  async follow(path: string): Promise<{ response: Response; way: string[] }> {
    const way = [path]
    for (let next = path; ;) {
      const response = await this.request(next)
      const location = response.headers.get('location')
      if (location === null) return { response, way }
      next = new URL(location, this.origin).href
      way.push(next)
    }
  }

  /** Sends a request as the console's scripts do. */
  api(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      'x-requested-by': 'console',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'empty',
    }
    return this.request(path, {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    })
  }

  /** Starts a sign-in and returns the address of the form. */
  async openForm(returnTo = '/'): Promise<string> {
    const { way } = await this.follow(`/auth/login?returnTo=${encodeURIComponent(returnTo)}`)
    return way.at(-1) ?? ''
  }

  submit(
    form: string,
    username: string,
    password: string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.request(form, {
      method: 'POST',
      body: new URLSearchParams({ username, password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: this.origin, ...headers },
    })
  }

  /** Completes a sign-in; returns the final response. */
  async signIn(
    username: string,
    password: string,
    returnTo = '/',
  ): Promise<{ response: Response; way: string[] }> {
    const form = await this.openForm(returnTo)
    const submitted = await this.submit(form, username, password)
    const location = submitted.headers.get('location')
    if (location === null) return { response: submitted, way: [form] }
    return this.follow(location)
  }
}
