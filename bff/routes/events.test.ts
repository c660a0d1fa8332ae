import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import type { Grant } from '#contract/endpoint/permission.ts'
import { eventRoute } from './events.ts'
import type { EventOptions, OpenEvents } from './events.ts'
import type { ApiVariables } from './endpoints.ts'

const everything: Grant[] = [{ permissions: ['read'], scope: null }]

async function* said(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield new TextEncoder().encode(part)
}

async function* saidForEver(signal: AbortSignal, ...parts: string[]): AsyncGenerator<Uint8Array> {
  yield* said(...parts)
  await sleep(60_000, undefined, { signal })
}

/** Asks for the events of a runtime that says this; the text that came when it ends. */
async function follow(
  open: OpenEvents,
  options: Partial<EventOptions> & { lastEventId?: string; grants?: Grant[] } = {},
): Promise<string> {
  const { lastEventId, grants = everything, ...more } = options
  const app = new Hono<{ Variables: ApiVariables }>()
  app.use(async (c, next) => {
    c.set('requestId', 'r-1')
    c.set('person', { id: 'ada', name: 'Ada', grants })
    await next()
  })
  const route = eventRoute({
    open,
    assertionOf: async () => 'assertion',
    isStillSignedIn: async () => true,
    stopping: new AbortController().signal,
    ...more,
  })
  app.get('/events', route)
  const response = await app.request('/events', {
    headers: { ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
  })
  return response.text()
}

const configuration = (id: string, environmentKey: string) =>
  `id: ${id}\nevent: configuration\ndata: ${JSON.stringify({
    scope: { environmentKey, applicationRuntimeId: 'shop', workspaceId: 7 },
    id: '1',
    version: 2,
    row: { savedAt: '2026-01-31T08:00:00.000Z', savedBy: { id: 'b', name: 'B' }, locators: [] },
  })}\n\n`

describe('the events of the console', () => {
  it('tell the browser from where to resume before anything has happened, and resume there themselves', async () => {
    const asked: (string | null)[] = []
    const text = await follow(async ({ lastEventId }) => {
      asked.push(lastEventId)
      return asked.length === 1 ? said('id: 7-1\n\n') : null
    })
    assert.match(text, /^id: 7-1$/m)
    assert.deepEqual(asked, [null, '7-1'])
  })

  it('resume after the last one that came, seen or not', async () => {
    const asked: (string | null)[] = []
    const text = await follow(
      async ({ lastEventId }) => {
        asked.push(lastEventId)
        const parts = ['id: 7-1\n\n', configuration('7-2', 'prod'), configuration('7-3', 'secret')]
        return asked.length === 1 ? said(...parts) : null
      },
      {
        lastEventId: '6-9',
        grants: [{ permissions: ['read'], scope: { environmentKey: 'prod' } }],
      },
    )
    assert.deepEqual(asked, ['6-9', '7-3'])
    assert.match(text, /^id: 7-2$/m)
    assert.doesNotMatch(text, /secret|7-3/)
  })

  it('pass no position on that could be anything else', async () => {
    let isOpened = false
    const text = await follow(async () => {
      if (isOpened) return null
      isOpened = true
      return said('id: 7\u00a01<script>\n\n')
    })
    assert.doesNotMatch(text, /script/)
  })

  it('end with the session, and when nobody can say whether it lives', async () => {
    for (const isStillSignedIn of [async () => false, () => Promise.reject(new Error('no database'))]) {
      const text = await follow(async ({ signal }) => saidForEver(signal, ': hello\n\n'), {
        isStillSignedIn,
        checkMs: 20,
      })
      assert.match(text, /connected/)
    }
  })

  it('do not ask without a pause where the runtime ends its stream at once', async () => {
    const stopping = new AbortController()
    let opened = 0
    setTimeout(() => stopping.abort(), 350)
    await follow(
      async () => {
        opened += 1
        return said(': hello\n\n')
      },
      { stopping: stopping.signal },
    )
    assert.ok(opened >= 2 && opened <= 5, String(opened))
  })
})
