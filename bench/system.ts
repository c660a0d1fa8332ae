import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '#edge/log.ts'
import { buildDemoWorld } from '../demo/world.ts'
import { startAll } from '../start.ts'
import type { Running } from '../start.ts'

const PORT = 18_080
const RUNTIME_PORT = 18_081

export interface BenchSystem extends Running {
  dataDir: string
  user: { username: string; password: string }
}

/** Everything as `npm start` has it, with the demo world, on a directory of its own. */
export async function startBenchSystem(): Promise<BenchSystem> {
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const user = { username: 'bench', password: 'a password of the benchmark' }
  const running = await startAll({
    dataDir,
    databaseUrl: null,
    console: {
      port: PORT,
      auth: {
        publicOrigin: `http://localhost:${PORT}`,
        externalIdp: null,
        rolesClaim: 'roles',
        users: [{ ...user, roles: [{ role: 'admin', scope: null }] }],
        limits: { idleSeconds: 3_600, absoluteSeconds: 3_600 },
        trustedProxyHops: 0,
      },
      runtime: null,
      logLevel: 'error',
      rates: { reads: { perSecond: 1e6, burst: 1e6 }, writes: { perSecond: 1e6, burst: 1e6 } },
    },
    runtime: {
      port: RUNTIME_PORT,
      platformApiBase: null,
      egressAllow: [{ kind: 'loopback' }],
      credential: null,
    },
    plugins: true,
    folder: new URL('../dist/web', import.meta.url).pathname,
    log: createLog({ name: 'bench', level: 'error' }),
  })
  if (running.call === null || running.plugins === null)
    throw new Error('The system has no runtime of its own')
  await buildDemoWorld({ call: running.call, plugins: running.plugins })
  return {
    ...running,
    dataDir,
    user,
    async stop() {
      await running.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Signs in by plain requests, as a browser without scripts would, and returns the cookie of the session. */
export async function sessionCookie(
  url: string,
  user: { username: string; password: string },
): Promise<string> {
  const jar = new Map<string, string>()
  const send = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(new URL(address, url), {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const text of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (text.split(';', 1)[0] ?? '').split(/=(.*)/s)
      if (value === '' || /max-age=0|1970/i.test(text)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  let response = await send('/auth/login')
  for (let step = 0; step < 12; step++) {
    const location = response.headers.get('location')
    if (location !== null) {
      if (new URL(location, url).pathname === '/') break
      response = await send(location)
      continue
    }
    const page = await response.text()
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
    if (action === undefined)
      throw new Error(`Signing in stopped at a page without a form: ${page.slice(0, 200)}`)
    const hidden = [...page.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)]
    const form = new URLSearchParams(hidden.map(([, name = '', value = '']) => [name, value]))
    form.set('username', user.username)
    form.set('password', user.password)
    response = await send(action.replaceAll('&amp;', '&'), {
      method: 'POST',
      body: form,
      headers: { origin: url, 'sec-fetch-site': 'same-origin' },
    })
  }
  const session = [...jar].find(([name]) => /session/i.test(name) && !/idp/i.test(name))
  if (session === undefined) throw new Error('Signing in gave no session')
  return `${session[0]}=${session[1]}`
}
