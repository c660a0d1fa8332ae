import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sessionCookie } from '#bff/testing-browser.ts'
import { usedMemory } from '#http-kit/testing-memory.ts'
import { percentile, round } from './report.ts'
import { startBenchSystem } from './system.ts'

const CONNECTIONS = 16
/** What ends by itself, such as a socket that was cut, has ended by then. */
const SETTLES_MS = 10_000

/** What hostile traffic left behind, as factors of what was there before. */
export interface Left {
  memory: number
  timers: number
  requests: number
}

/** Sends requests that are refused for many reasons, and bytes that are not HTTP, for some seconds. */
export async function afterHostility(
  url: string,
  { cookie, seconds }: { cookie: string; seconds: number },
): Promise<Left> {
  const { port } = new URL(url)
  const own = { cookie, 'x-requested-by': 'console', 'sec-fetch-site': 'same-origin', origin: url }
  const bad: (() => Promise<unknown>)[] = [
    () => fetch(`${url}/api/operations?cursor=${crypto.randomUUID()}`, { headers: own }),
    () => fetch(`${url}/api/${crypto.randomUUID()}`, { headers: own }),
    () => fetch(`${url}/${crypto.randomUUID()}`),
    () => fetch(`${url}/auth/callback?state=${crypto.randomUUID()}&code=x`, { redirect: 'manual' }),
    () => fetch(`${url}/auth/login?returnTo=/${crypto.randomUUID()}`, { redirect: 'manual' }),
    () => fetch(`${url}/api/events`, { method: 'HEAD', headers: own }),
    () =>
      fetch(`${url}/api/session`, {
        headers: {
          cookie: `${cookie.split('=')[0]}=${crypto.randomUUID()}`,
          'x-requested-by': crypto.randomUUID(),
        },
      }),
    () =>
      fetch(`${url}/api/webhooks`, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
        body: `{"${crypto.randomUUID()}":1}`,
      }),
    () =>
      new Promise((resolve) =>
        connect(Number(port), '127.0.0.1')
          .end('GARBAGE\r\n\r\n')
          .on('error', resolve)
          .on('close', resolve)
          .resume(),
      ),
  ]
  let requests = 0
  const attack = async (until: number): Promise<void> => {
    for (let at = 0; performance.now() < until; at++) {
      const response = await bad[at % bad.length]?.().catch(() => null)
      if (response instanceof Response) await response.arrayBuffer()
      requests++
    }
  }
  const all = async (ms: number): Promise<void> => {
    const until = performance.now() + ms
    await Promise.all(Array.from({ length: CONNECTIONS }, () => attack(until)))
    await sleep(SETTLES_MS)
  }
  await all(5_000)
  const before = { memory: usedMemory(), timers: timersOfProcess() }
  requests = 0
  await all(seconds * 1_000)
  return { memory: usedMemory() / before.memory, timers: timersOfProcess() / before.timers, requests }
}

const timersOfProcess = (): number =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

const READERS = 50
const READER_MS = 1_000
const FLOODS = 20
const PHASE_MS = 15_000

/** How long readers waited for a list, p99 in milliseconds, without and with somebody who floods. */
export interface Beside {
  readers: number
  quiet: number
  flooded: number
  /** Requests of the flood, and how many of them were answered with 200. */
  sent: number
  served: number
}

/** 50 people who each read a list once a second, beside one who sends searches and documents as fast as they are answered. */
export async function besideFlood(): Promise<Beside> {
  const system = await startBenchSystem({ people: READERS + 1, isLimited: true })
  const cookies: string[] = []
  // one after the other, because passwords that are checked at the same time are limited
  for (const one of system.people) cookies.push(await sessionCookie(system.url, one))
  const flooder = cookies.pop()
  // in a process of its own, whose work is not that of the system
  const clients = fork(new URL(import.meta.url), ['clients'])
  const phase = async (floods: number): Promise<Phase> => {
    clients.send({ url: system.url, cookies, flooder, floods } satisfies Order)
    const [result] = (await once(clients, 'message')) as [Phase]
    return result
  }
  await phase(0)
  const quiet = await phase(0)
  const flooded = await phase(FLOODS)
  clients.kill()
  await system.stop()
  return {
    readers: READERS,
    quiet: round(quiet.p99, 1),
    flooded: round(flooded.p99, 1),
    sent: flooded.sent,
    served: flooded.served,
  }
}

interface Order {
  url: string
  cookies: string[]
  flooder: string | undefined
  floods: number
}
interface Phase {
  p99: number
  sent: number
  served: number
}

async function runPhase({ url, cookies, flooder = '', floods }: Order): Promise<Phase> {
  const until = performance.now() + PHASE_MS
  const headers = (cookie: string) => ({
    cookie,
    'x-requested-by': 'console',
    'sec-fetch-site': 'same-origin',
  })
  const waits: number[] = []
  const read = async (cookie: string, at: number): Promise<void> => {
    await sleep((at * READER_MS) / cookies.length)
    while (performance.now() < until) {
      const began = performance.now()
      const response = await fetch(`${url}/api/operations?limit=50`, { headers: headers(cookie) })
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`a reader got ${response.status}`)
      waits.push(performance.now() - began)
      await sleep(READER_MS)
    }
  }
  const expensive = [
    () => fetch(`${url}/`, { headers: { cookie: flooder, accept: 'text/html' } }),
    () => fetch(`${url}/operations`, { headers: { cookie: flooder, accept: 'text/html' } }),
    () =>
      fetch(`${url}/api/operations?q=${crypto.randomUUID()}%20failed&limit=200`, {
        headers: headers(flooder),
      }),
  ]
  let [sent, served] = [0, 0]
  const flood = async (): Promise<void> => {
    for (let at = 0; performance.now() < until; at++) {
      const response = await expensive[at % expensive.length]?.()
      await response?.arrayBuffer()
      sent++
      if (response?.status === 200) served++
    }
  }
  await Promise.all([...cookies.map(read), ...Array.from({ length: floods }, flood)])
  return { p99: percentile(waits, 99), sent, served }
}

if (process.argv[2] === 'clients')
  process.on('message', (order: Order) => {
    void runPhase(order).then((result) => process.send?.(result))
  })
