import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { after, afterEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import type { Grant } from '#contract/endpoint/permission.ts'
import { createLog } from '#http-kit/log.ts'
import { serve } from '#http-kit/serve.ts'
import type { RunningServer } from '#http-kit/serve.ts'
import { eventRoute } from './events.ts'
import type { EventOptions } from './events.ts'
import type { OpenEvents } from '../runtime/runtime-events.ts'
import type { StreamLimits } from './stream-registry.ts'
import { problemResponse } from '#http-kit/problem-response.ts'
import { ConsoleFailure, failureOf, problemOf } from '../failure.ts'
import type { SessionVariables } from '../session/sessions.ts'

const everything: Grant[] = [{ permissions: ['read'], scope: null }]

async function* streamOf(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield new TextEncoder().encode(part)
}

async function* saidForEver(signal: AbortSignal, ...parts: string[]): AsyncGenerator<Uint8Array> {
  yield* streamOf(...parts)
  await sleep(60_000, undefined, { signal })
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, condition.toString())
    await sleep(10)
  }
}

function refuse(): never {
  throw new ConsoleFailure('UPSTREAM_UNAVAILABLE', { retryable: true })
}

/** The route, with the person and session taken from headers of the request. */
function appOf(open: OpenEvents, options: Partial<EventOptions> & { grants?: Grant[] } = {}) {
  const { grants = everything, ...more } = options
  const app = new Hono<{ Variables: SessionVariables }>()
  app.onError((error, c) => {
    const response = problemResponse({ ...problemOf(failureOf(error).failure, 'r-1') })
    return c.newResponse(response.body, response)
  })
  app.use(async (c, next) => {
    const { person: id = 'ada', session: sessionId = 's-1' } = c.req.header()
    c.set('requestId', 'r-1')
    c.set('person', {
      id,
      name: 'Ada',
      issuer: 'idp',
      roles: [],
      grants,
      sessionId,
      authenticatedSeconds: null,
    })
    await next()
  })
  const route = eventRoute({
    open,
    assertionOf: async () => 'assertion',
    findPerson: async () => ({ grants }),
    stopping: new AbortController().signal,
    log: createLog({ name: 'test', level: 'silent' }),
    ...more,
  })
  return app.get('/events', route)
}

/** Requests the events of a runtime that sends this text; returns the whole response. */
async function follow(
  open: OpenEvents,
  options: Partial<EventOptions> & { lastEventId?: string; grants?: Grant[] } = {},
): Promise<string> {
  const { lastEventId, ...more } = options
  const response = await appOf(open, more).request('/events', {
    headers: { ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
  })
  return response.text()
}

describe('a stream without events', () => {
  it('sends a comment often enough for the browser to know that the server answers', async () => {
    const text = await follow(
      async ({ signal }) => saidForEver(AbortSignal.any([signal, AbortSignal.timeout(200)]), 'id: 7-1\n\n'),
      { heartbeatMs: 20 },
    )
    assert.ok(text.split(': \n\n').length > 3, text)
  })
})

const configuration = (id: string, environmentKey: string) =>
  `id: ${id}\nevent: configuration\ndata: ${JSON.stringify({
    scope: { environmentKey, applicationRuntimeId: 'shop', workspaceId: 7 },
    id: '1',
    version: 2,
    row: { savedAt: '2026-01-31T08:00:00.000Z', savedBy: { id: 'b', name: 'B' }, locators: [] },
  })}\n\n`

describe('the events of the console', () => {
  it('give the browser a position to resume from before the first event, and resume from it themselves', async () => {
    const positions: (string | null)[] = []
    const text = await follow(async ({ lastEventId }) => {
      positions.push(lastEventId)
      return positions.length === 1 ? streamOf('id: 7-1\n\n') : refuse()
    })
    assert.match(text, /^id: 7-1$/m)
    assert.deepEqual(positions, [null, '7-1'])
  })

  it('resume after the last event received, forwarded or not', async () => {
    const positions: (string | null)[] = []
    const text = await follow(
      async ({ lastEventId }) => {
        positions.push(lastEventId)
        const parts = ['id: 7-1\n\n', configuration('7-2', 'prod'), configuration('7-3', 'secret')]
        return positions.length === 1 ? streamOf(...parts) : refuse()
      },
      {
        lastEventId: '6-9',
        grants: [{ permissions: ['read'], scope: { environmentKey: 'prod' } }],
      },
    )
    assert.deepEqual(positions, ['6-9', '7-3'])
    assert.match(text, /^id: 7-2$/m)
    assert.doesNotMatch(text, /secret|7-3/)
  })

  it('forward no malformed position', async () => {
    let isOpened = false
    const text = await follow(async () => {
      if (isOpened) return refuse()
      isOpened = true
      return streamOf('id: 7\u00a01<script>\n\n')
    })
    assert.doesNotMatch(text, /script/)
  })

  for (const [what, data] of [
    ['not JSON', '{"half'],
    ['not valid by the contract', '{"id":"1","version":"two"}'],
  ] as const) {
    it(`become a reset if one is ${what}, and continue after it`, async () => {
      const positions: (string | null)[] = []
      const invalid = `id: 7-2\nevent: configuration\ndata: ${data}\n\n`
      const text = await follow(async ({ lastEventId }) => {
        positions.push(lastEventId)
        return positions.length === 1
          ? streamOf('id: 7-1\n\n', invalid, configuration('7-3', 'prod'))
          : refuse()
      })
      assert.match(text, /^id: 7-2\nevent: reset\ndata: \{\}\n\nid: 7-3\nevent: configuration$/m)
      assert.deepEqual(positions, [null, '7-3'])
    })
  }

  it('skip an unknown kind', async () => {
    let isOpened = false
    const text = await follow(async () => {
      if (isOpened) return refuse()
      isOpened = true
      return streamOf('id: 7-1\nevent: weather\ndata: {}\n\n', configuration('7-2', 'prod'))
    })
    assert.match(text, /^id: 7-1\n\nid: 7-2\nevent: configuration$/m)
    assert.doesNotMatch(text, /reset|weather/)
  })

  it('restart with a reset after an event that is too large, and skip it', async () => {
    const positions: (string | null)[] = []
    const large = `id: 7-2\nevent: configuration\ndata: ${'x'.repeat(1_200_000)}\n\n`
    const parts = large.match(/.{1,16384}|\n+/gs) ?? []
    const text = await follow(
      async ({ lastEventId }) => {
        positions.push(lastEventId)
        if (positions.length === 1) return streamOf(...parts)
        if (positions.length === 2) return streamOf(': \n\n', 'id: 7-5\n\n', configuration('7-6', 'prod'))
        return refuse()
      },
      { lastEventId: '7-1' },
    )
    assert.deepEqual(positions, ['7-1', null, '7-6'])
    assert.match(text, /^id: \n\nid: 7-5\nevent: reset\ndata: \{\}\n\nid: 7-6\nevent: configuration$/m)
  })

  it('end with the session, with its grants, and when its state cannot be determined (B06, G11)', async () => {
    const fewer: Grant[] = [{ permissions: ['read'], scope: { environmentKey: 'test' } }]
    for (const findPerson of [
      async () => null,
      async () => ({ grants: fewer }),
      () => Promise.reject(new Error('no database')),
    ]) {
      const text = await follow(async ({ signal }) => saidForEver(signal, ': hello\n\n'), {
        findPerson,
        checkMs: 20,
      })
      assert.match(text, /connected/)
    }
  })

  it('log an error as one line without secrets, and print nothing else', async (t) => {
    const printed = t.mock.method(console, 'error', () => undefined)
    const lines: string[] = []
    const log = createLog({ name: 'test', level: 'debug', stream: { write: (line) => lines.push(line) } })
    log.addSecret('the credential of the test')
    const text = await follow(
      async () => {
        const fail = async function* () {
          yield* streamOf('id: 7-1\n\n')
          throw new RangeError('Too large\nfor the credential of the test')
        }
        return fail()
      },
      { log },
    )
    assert.match(text, /^id: 7-1$/m)
    assert.equal(lines.length, 1)
    const line = JSON.parse(lines[0] ?? '')
    assert.deepEqual(
      [line.msg, line.requestId, line.error.name],
      ['an event stream failed', 'r-1', 'RangeError'],
    )
    assert.doesNotMatch(lines[0] ?? '', /credential of the test/)
    assert.equal(printed.mock.callCount(), 0)
  })

  it('pause before reopening a stream that the runtime ends immediately', async () => {
    const stopping = new AbortController()
    let opened = 0
    setTimeout(() => stopping.abort(), 350)
    await follow(
      async () => {
        opened += 1
        return streamOf(': hello\n\n')
      },
      { stopping: stopping.signal },
    )
    assert.ok(opened >= 2 && opened <= 5, String(opened))
  })
})

describe('releasing event streams', () => {
  let server: RunningServer | null = null
  const sockets: Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await server?.stop({ graceMs: 100 })
  })

  /** A console on a real socket whose runtime never stops sending. Counts the resources that its streams hold. */
  async function start({ idleMs = 60_000, ...options }: Partial<EventOptions> & { idleMs?: number } = {}) {
    const counts = { opened: 0, open: 0, sent: 0, sessionChecks: 0 }
    const app = appOf(
      async ({ signal }) => {
        counts.opened++
        counts.open++
        signal.addEventListener('abort', () => counts.open--, { once: true })
        return endless(signal, () => counts.sent++)
      },
      {
        checkMs: 5,
        ...options,
        findPerson: async (c) => {
          counts.sessionChecks++
          return options.findPerson?.(c) ?? { grants: everything }
        },
      },
    )
    server = await serve({ app, port: 0, hostname: '127.0.0.1', idleMs })
    const { port } = server
    const open = (): Socket => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n'))
      sockets.push(socket.on('error', () => undefined))
      return socket
    }
    return { counts, open, url: `http://127.0.0.1:${port}/events` }
  }

  async function* endless(signal: AbortSignal, sent: () => void): AsyncGenerator<Uint8Array> {
    const events = new TextEncoder().encode(configuration('7-1', 'prod').repeat(100))
    while (!signal.aborted) {
      sent()
      yield events
      await sleep(0)
    }
  }

  const isQuiet = async (count: () => number): Promise<boolean> => {
    const before = count()
    await sleep(100)
    return count() === before
  }

  it('opens no stream for HEAD (B04)', async () => {
    const { counts, url } = await start()
    for (let count = 0; count < 200; count++) {
      const response = await fetch(url, { method: 'HEAD' })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'text/event-stream')
    }
    assert.equal(counts.opened, 0)
    assert.ok(await isQuiet(() => counts.sessionChecks), 'no timer is left behind')
  })

  it('releases a stream when its reader disconnects', async () => {
    const { counts, open } = await start()
    const socket = open().resume()
    await until(() => counts.open === 1)
    socket.destroy()
    await until(() => counts.open === 0)
    assert.ok(await isQuiet(() => counts.sessionChecks))
  })

  it('releases a stream that is not read', async () => {
    const { counts, open } = await start({ stallMs: 100 })
    open().pause()
    await until(() => counts.open === 1)
    await until(() => counts.open === 0)
    assert.ok(await isQuiet(() => counts.sessionChecks))
  })

  it('releases a stream that is not read when its session ends', async () => {
    let isSignedIn = true
    const { counts, open } = await start({
      findPerson: async () => (isSignedIn ? { grants: everything } : null),
    })
    open().pause()
    await until(() => counts.open === 1)
    await until(() => isQuiet(() => counts.sent))
    isSignedIn = false
    await until(() => counts.open === 0)
    assert.ok(await isQuiet(() => counts.sessionChecks))
  })

  it('closes the connection of a stream that is not read', async () => {
    const { counts, open } = await start({ stallMs: 50, idleMs: 100 })
    open().pause()
    await until(() => counts.open === 1)
    const started = performance.now()
    await server?.stop({ graceMs: 60_000 })
    server = null
    assert.ok(performance.now() - started < 20_000)
  })

  it('forbids caches to store the stream (C04)', async () => {
    const { url } = await start()
    const abort = new AbortController()
    const response = await fetch(url, { signal: abort.signal })
    assert.equal(response.headers.get('cache-control'), 'no-store')
    abort.abort()
  })
})

describe('limits on event streams', () => {
  const stopping = new AbortController()
  after(() => stopping.abort())

  /** Streams that stay open, with what each has sent so far. */
  function start(limits: StreamLimits) {
    const app = appOf(async ({ signal }) => saidForEver(signal, 'id: 7-1\n\n'), {
      limits,
      stopping: stopping.signal,
    })
    return async (headers: Record<string, string> = {}) => {
      const response = await app.request('/events', { headers })
      const reader = response.body?.getReader()
      const stream = { response, text: '', isOver: false, leave: () => reader?.cancel() }
      const read = async (): Promise<void> => {
        const decoder = new TextDecoder()
        for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read())
          stream.text += decoder.decode(next.value)
        stream.isOver = true
      }
      void read()
      await until(() => stream.text !== '')
      return stream
    }
  }

  it('replace the oldest stream of a session and notify it', async () => {
    const open = start({ perSession: 2, perPerson: 10, total: 10 })
    const streams = [await open(), await open(), await open()]
    await until(() => streams[0]?.isOver === true)
    assert.match(streams[0]?.text ?? '', /^event: replaced\ndata: \{\}$/m)
    assert.deepEqual(
      streams.map(({ isOver }) => isOver),
      [true, false, false],
    )
  })

  it('replace the oldest stream of a person across sessions, and nobody else’s', async () => {
    const open = start({ perSession: 2, perPerson: 3, total: 10 })
    const others = await open({ person: 'bob', session: 'b-1' })
    const streams: Awaited<ReturnType<typeof open>>[] = []
    for (const session of ['s-1', 's-2', 's-2', 's-1']) streams.push(await open({ session }))
    await until(() => streams[0]?.isOver === true)
    assert.deepEqual(
      [others, ...streams].map(({ isOver }) => isOver),
      [false, true, false, false, false],
    )
  })

  it('answer 503 with Retry-After when the total is reached, not an empty stream', async () => {
    const open = start({ perSession: 2, perPerson: 2, total: 2 })
    await open({ person: 'ada', session: 'a-1' })
    const bob = await open({ person: 'bob', session: 'b-1' })
    const refused = await open({ person: 'cy', session: 'c-1' })
    assert.equal(refused.response.status, 503)
    assert.equal(refused.response.headers.get('retry-after'), '5')
    assert.equal(JSON.parse(refused.text).code, 'SERVICE_UNAVAILABLE')

    await bob.leave()
    const admitted = await open({ person: 'cy', session: 'c-1' })
    assert.equal(admitted.response.status, 200)
  })

  it('answer 503 with Retry-After when the runtime refuses a stream', async () => {
    const response = await appOf(async () => refuse()).request('/events')
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '5')
    assert.equal(((await response.json()) as { code: string }).code, 'UPSTREAM_UNAVAILABLE')
  })
})
