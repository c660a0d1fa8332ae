import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#database/free-port.ts'
import { createLog } from '#http-kit/log.ts'
import { usedMemory } from '#http-kit/testing-memory.ts'
import { buildDemo } from '../../../demo/build-demo.ts'
import { scopes } from '../../../demo/places.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { buildConsole } from '../../../scripts/console-build.ts'
import { startAll } from '../../../start.ts'
import { PEOPLE } from './attack.ts'
import type { Person, Target } from './attack.ts'

const MEMBERS = PEOPLE.filter((name) => name !== 'nobody')
const PASSWORD = 'a password of the attack'
const CREDENTIAL = 'credential-of-the-attack-long-enough'
/** The only environment of everybody but the administrator. */
export const OWN = 'staging'

export interface RunningTarget extends Target {
  /** The memory of this process after a collection, in MB; the whole system runs in it. */
  memory(): number
  stop(): Promise<void>
}

/** Starts the system as `npm start` does, with the demo and one person for each role, on loopback only. */
export async function startTarget(databaseUrl: string): Promise<RunningTarget> {
  await buildConsole()
  const dataDir = await mkdtemp(join(tmpdir(), 'bundle-console-attack-'))
  const [port, runtimePort] = [await freePort(), await freePort()]
  const url = `http://localhost:${port}`
  const unlimited = { perSecond: 1e6, burst: 1e6 }
  const running = await startAll({
    dataDir,
    databaseUrl,
    console: {
      port,
      auth: {
        publicOrigin: url,
        externalIdp: null,
        rolesClaim: 'roles',
        users: MEMBERS.map((username) => ({
          username,
          password: PASSWORD,
          roles: [{ role: username, scope: username === 'admin' ? null : { environmentKey: OWN } }],
        })),
        limits: { idleSeconds: 3_600, absoluteSeconds: 3_600 },
        recentSignInSeconds: 3_600,
        trustedProxyHops: 0,
      },
      runtime: null,
      logLevel: 'silent',
      rates: { reads: unlimited, writes: unlimited },
    },
    runtime: {
      port: runtimePort,
      platformApiBase: null,
      egressAllow: [{ kind: 'loopback' }],
      credentials: [CREDENTIAL],
    },
    plugins: true,
    folder: new URL('../../../dist/web', import.meta.url).pathname,
    log: createLog({ name: 'attack', level: 'silent' }),
  })
  const { call, plugins } = running
  if (call === null || plugins === null) throw new Error('The system does not run its own runtime')
  await buildDemo({ call, plugins })
  const cookies: Partial<Record<Person, string>> = {}
  for (const username of MEMBERS)
    cookies[username] = await sessionCookie(url, { username, password: PASSWORD })
  const cookieOf = (person: Person): string => cookies[person] ?? ''
  const send: Target['send'] = async ({ method, path, as, headers = {}, body }) => {
    const init: RequestInit = {
      method,
      redirect: 'manual',
      headers: {
        'x-requested-by': 'console',
        'sec-fetch-site': 'same-origin',
        origin: url,
        'idempotency-key': crypto.randomUUID(),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(as !== undefined && as !== 'nobody' && { cookie: cookieOf(as) }),
        ...headers,
      },
      body: body ?? null,
    }
    const response = await fetch(url + path, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const { europe: foreign, staging: own } = scopes
  const inForeign = `environmentKey=${foreign.environmentKey}&applicationRuntimeId=${foreign.applicationRuntimeId}&workspaceId=${foreign.workspaceId}&limit=1`
  const idOf = async (path: string, name: string): Promise<string> => {
    const { text } = await send({ method: 'GET', path: `/api${path}?${inForeign}`, as: 'admin' })
    const id = new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1]
    if (id === undefined) throw new Error(`The demo has nothing foreign in ${path}: ${text.slice(0, 200)}`)
    return id
  }
  const bundleInstallId = await idOf('/installations', 'bundleInstallId')
  const made = async (path: string, name: string, body: object, method = 'POST'): Promise<string> => {
    const { text } = await send({ method, path: `/api${path}`, as: 'admin', body: JSON.stringify(body) })
    const id = new RegExp(`"${name}":"([^"]+)"`).exec(text)?.[1]
    if (id === undefined) throw new Error(`${path} made nothing: ${text.slice(0, 200)}`)
    return id
  }
  const freeze = {
    scopes: [foreign],
    from: '2020-01-01T00:00:00.000Z',
    to: '2020-01-02T00:00:00.000Z',
    timeZone: 'UTC',
    blocks: ['CONFIGURE'],
    message: 'It is over',
  }
  const webhook = {
    title: 'Foreign',
    url: 'http://127.0.0.1:1/hook',
    events: ['batch.finished'],
    scope: foreign,
    retryingAfterMinutes: 30,
  }
  const follow = { subject: { kind: 'installation', bundleInstallId } }
  return {
    console: url,
    runtime: running.runtimeUrl,
    credential: CREDENTIAL,
    dataDir,
    own,
    foreign,
    // a bundle has an environment too, but no application runtime
    foreignTexts: [`"environmentKey":"${foreign.environmentKey}","applicationRuntimeId"`],
    foreignIds: {
      bundleInstallId,
      name: await made('/freezes/foreign', 'name', freeze, 'PUT'),
      webhookId: await made('/webhooks', 'webhookId', webhook),
      followId: await made('/follows', 'followId', follow, 'PUT'),
      changeRequestId: await made('/change-requests', 'changeRequestId', {
        kind: 'DETACH',
        title: 'Foreign',
        input: { bundleInstallId },
        submit: true,
      }),
      operationId: await idOf('/operations', 'operationId'),
    },
    cookieOf,
    send,
    memory() {
      return usedMemory()
    },
    async stop() {
      await running.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
