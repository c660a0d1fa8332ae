import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, request } from 'undici'
import { createActorAssertions, loadActorKey } from '#bff/runtime/actor-assertion.ts'
import { CONSOLE_PERMISSIONS } from '#contract/endpoint/permission.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { usedMemory } from '#http-kit/testing-memory.ts'
import { afterHostility, besideFlood } from './hostility.ts'
import type { Beside, Left } from './hostility.ts'
import { person } from './person.ts'
import { median, percentile, round } from './report.ts'
import type { Result } from './report.ts'
import { startBenchSystem } from './system.ts'
import type { BenchSystem } from './system.ts'

const PATH = '/operations?limit=50'
const ROUNDS = 5
const ROUND_MS = 3_000
const CONNECTIONS = 16
const STREAMS = 200
/** One session may have 20 streams, and one person 40. */
const STREAMS_OF_ONE = 20

interface Load {
  url: string
  headers: Record<string, string>
}
interface Measured {
  perSecond: number
  p99: number
}

/**
 * A list through the whole console, compared with a bare route that fetches it from the runtime and returns it; the memory of
 * idle streams; what hostile traffic leaves behind; and how long others wait beside a person who floods.
 */
export async function benchRequests({ hostileSeconds }: { hostileSeconds: number }): Promise<Result[]> {
  const system = await startBenchSystem({ people: STREAMS / STREAMS_OF_ONE })
  const cookie = await sessionCookie(system.url, system.user)
  const bare = await startBareRoute(system)
  const targets: Record<string, Load> = {
    console: { url: `${system.url}/api${PATH}`, headers: { cookie, 'x-requested-by': 'console' } },
    'bare route': { url: bare.url, headers: {} },
  }
  // in a process of its own, so that the load costs both sides the same and counts for no memory
  const generator = fork(new URL(import.meta.url), ['load'])
  const measured = new Map<string, Measured[]>(Object.keys(targets).map((name) => [name, []]))
  // interleaved, and the first round is for warming up
  for (let at = 0; at <= ROUNDS; at++)
    for (const [name, load] of Object.entries(targets)) {
      generator.send(load)
      const [result] = (await once(generator, 'message')) as [Measured]
      if (at > 0) measured.get(name)?.push(result)
    }
  generator.kill()
  await bare.stop()
  const streams = await memoryOfStreams(system)
  const hostile = await afterHostility(system.url, { cookie, seconds: hostileSeconds })
  await system.stop()
  return resultsOf(measured, { streams, hostile, beside: await besideFlood(), hostileSeconds })
}

/** Fetches with the credential and an assertion of the console, and returns what it gets. */
async function startBareRoute({
  runtimeUrl,
  dataDir,
}: BenchSystem): Promise<{ url: string; stop(): Promise<void> }> {
  const credential = (await readFile(join(dataDir, 'runtime-credential'), 'utf8')).trim()
  const assertionOf = createActorAssertions(await loadActorKey(dataDir))
  const permissions = person.grants[0]?.permissions.filter((one) => !CONSOLE_PERMISSIONS.includes(one)) ?? []
  const asserted = { ...person, grants: [{ permissions, scope: null }] }
  const server = createServer((_, response) => {
    void (async () => {
      const headers = {
        authorization: `Bearer ${credential}`,
        'x-runtime-actor-assertion': await assertionOf(asserted),
      }
      const { body } = await request(runtimeUrl + PATH, { headers })
      response.setHeader('content-type', 'application/json')
      response.end(Buffer.from(await body.arrayBuffer()))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function memoryOfStreams({ url, people }: BenchSystem): Promise<number> {
  const cookies = await Promise.all(people.map((one) => sessionCookie(url, one)))
  const before = usedMemory()
  const { port, host } = new URL(url)
  const sockets = await Promise.all(
    Array.from({ length: STREAMS }, async (_, at) => {
      const socket = connect(Number(port), '127.0.0.1')
      const cookie = cookies[at % cookies.length]
      socket.write(
        `GET /api/events HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nX-Requested-By: console\r\nSec-Fetch-Site: same-origin\r\n\r\n`,
      )
      const [head] = (await once(socket, 'data')) as [Buffer]
      if (!head.toString().startsWith('HTTP/1.1 200'))
        throw new Error(`a stream was refused: ${head.toString().slice(0, 60)}`)
      return socket.resume()
    }),
  )
  await sleep(3_000)
  const after = usedMemory()
  for (const socket of sockets) socket.destroy()
  await sleep(1_000)
  return after - before
}

function resultsOf(
  measured: ReadonlyMap<string, readonly Measured[]>,
  {
    streams,
    hostile,
    beside,
    hostileSeconds,
  }: { streams: number; hostile: Left; beside: Beside; hostileSeconds: number },
): Result[] {
  const of = (name: string, key: keyof Measured): number =>
    median((measured.get(name) ?? []).map((one) => one[key]))
  const rows = [...measured.keys()].map((name) => ({
    what: name,
    'requests per second': round(of(name, 'perSecond'), 0),
    'p99 ms': round(of(name, 'p99'), 1),
  }))
  const [console, bare] = ['console', 'bare route']
  const goals = [
    {
      figure: of(bare, 'perSecond') / of(console, 'perSecond'),
      goal: 2,
      meaning: 'Requests per second of a bare route, divided by those of the console, for the same list.',
    },
    {
      figure: of(console, 'p99') / of(bare, 'p99'),
      goal: 2,
      meaning: 'p99 of the console, divided by that of the bare route.',
    },
    { figure: streams, goal: 50, meaning: `MB that ${STREAMS} idle streams hold, with both of their ends.` },
    {
      figure: hostile.memory,
      goal: 1.1,
      meaning: `Memory after ${hostileSeconds} s of hostile traffic (${hostile.requests} requests), divided by that before.`,
    },
    {
      figure: hostile.timers,
      goal: 1.1,
      meaning: `Timers after ${hostileSeconds} s of hostile traffic, divided by those before.`,
    },
    {
      figure: beside.flooded / beside.quiet,
      goal: 3,
      meaning: `p99 of ${beside.readers} people who read beside one who sends what costs most, ${beside.flooded} ms, divided by that without, ${beside.quiet} ms; ${beside.served} of the ${beside.sent} requests were served.`,
    },
  ]
  return goals.map((goal) => ({ name: 'requests', rows, ...goal }))
}

/** The load generator: for each message, as many requests as it can make on a fixed number of connections. */
async function generate({ url, headers }: Load): Promise<Measured> {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const times: number[] = []
  const until = performance.now() + ROUND_MS
  const work = async (): Promise<void> => {
    while (performance.now() < until) {
      const began = performance.now()
      const { statusCode, body } = await pool.request({ method: 'GET', path: pathname + search, headers })
      await body.arrayBuffer()
      if (statusCode !== 200) throw new Error(`status ${statusCode}`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, work))
  await pool.close()
  return { perSecond: (times.length * 1000) / ROUND_MS, p99: percentile(times, 99) }
}

if (process.argv[2] === 'load')
  process.on('message', (load: Load) => {
    void generate(load).then((result) => process.send?.(result))
  })
