import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Follow } from '#contract/console-api/shapes.ts'
import { operation, at } from '../pages/operations/detail/calls/testing.ts'
import { refusal } from '../testing/api.ts'
import { batchWith } from '../testing/batch.ts'
import { renderConsole } from '../testing/render.tsx'
import { OLIVIA, serveScope } from '../testing/served-scope.ts'
import { watchAs } from '../subjects/alerts/alerts.ts'

const failed = operation({ state: 'FAILED', finishedAt: new Date(Date.now() + 60_000).toISOString() })

const native = window.Notification

/** Moves the tab into the background or back. */
function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
  document.dispatchEvent(new Event('visibilitychange'))
}

afterEach(() => {
  Reflect.deleteProperty(document, 'hidden')
  window.Notification = native
  localStorage.clear()
  sessionStorage.clear()
})

interface Shown {
  title: string
  body: string | undefined
  click: () => void
}

/** Records the notifications, and answers the question for the permission. */
function recordNotifications(answer: NotificationPermission = 'granted'): Shown[] {
  const shown: Shown[] = []
  class Recorded extends EventTarget {
    static permission: NotificationPermission = 'default'
    static requestPermission() {
      Recorded.permission = answer
      return Promise.resolve(answer)
    }
    constructor(title: string, options?: NotificationOptions) {
      super()
      shown.push({ title, body: options?.body, click: () => this.dispatchEvent(new Event('click')) })
    }
    close() {}
  }
  window.Notification = Recorded as unknown as typeof Notification
  return shown
}

test('what fails in the background is counted in the title, and notified when the person wants it', async () => {
  const shown = recordNotifications()
  const { api } = await serveScope({ 'GET /operations/{operationId}': () => failed })
  const { address } = await renderConsole('/operations')
  await expect.poll(() => document.title).toMatch(/^Operations/)
  const { installation, operationId } = failed
  const { environmentKey, applicationRuntimeId, workspaceId } = installation
  const scope = { environmentKey, applicationRuntimeId, workspaceId }
  const emit = (finishedAt = failed.finishedAt) =>
    api.emit({ kind: 'operation', scope, id: operationId, version: 1, row: { ...failed, finishedAt } })

  // the person sees the page
  await emit()
  setHidden(true)
  expect(document.title).toMatch(/^Operations/)
  // an event from before the stream is open is not received
  await expect
    .poll(async () => {
      await emit()
      return document.title
    })
    .toMatch(/^\(1\) Operations/)
  // a change of an operation that was counted
  await emit()
  await expect.poll(() => document.title).toMatch(/^\(1\) Operations/)
  expect(shown).toEqual([])
  setHidden(false)
  await expect.poll(() => document.title).toMatch(/^Operations/)

  await page
    .getByTitle(/^Account/)
    .first()
    .click()
  await page.getByRole('switch', { name: 'Notify me about failures' }).click()
  await expect.element(page.getByRole('switch', { name: 'Notify me about failures' })).toBeChecked()
  setHidden(true)
  // an old failure that somebody has commented
  await emit(at(0))
  await emit()
  await expect.poll(() => shown.map(({ title }) => title)).toEqual(['1 operation failed'])
  shown[0]?.click()
  await expect.poll(address).toBe(`/operations/${operationId}`)
})

const followOf = (operationId: string): Follow => ({
  followId: '01920000-0000-7000-8000-0000000000f0',
  subject: { kind: 'operation', operationId },
  title: null,
  operationType: 'CONFIGURE',
  scope: null,
  cause: null,
  createdAt: at(0),
  escalateAfterMinutes: null,
  escalateTo: [],
  escalatesUntil: null,
})
const watch = page.getByRole('button', { name: 'Notify me when it ends' })
const watching = page.getByRole('button', { name: 'You will be notified' })

test('the end of an operation that a person watches is told once, also while its page is in front', async () => {
  const shown = recordNotifications()
  const running = operation({ state: 'RUNNING', finishedAt: null })
  let current = running
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => current,
    'PUT /follows': () => followOf(running.operationId),
  })
  const { operationId, installation } = running
  const { address } = await renderConsole(`/operations/${operationId}`)
  await watch.click()
  await expect.element(watching).toHaveAttribute('aria-pressed', 'true')
  current = operation({ state: 'SUCCEEDED', finishedAt: at(1_000) })
  const { environmentKey, applicationRuntimeId, workspaceId } = installation
  const scope = { environmentKey, applicationRuntimeId, workspaceId }
  await expect
    .poll(async () => {
      await api.emit({ kind: 'operation', scope, id: operationId, version: 2, row: current })
      return shown.map(({ title }) => title)
    })
    .toHaveLength(1)
  expect(shown[0]?.title).toMatch(/: Succeeded$/)
  expect(shown[0]?.body).toContain(`${environmentKey}/${applicationRuntimeId}/${workspaceId}`)
  // it is over, so there is nothing more to tell
  await expect.element(watching).not.toBeInTheDocument()
  await page.getByRole('link', { name: 'Operations' }).first().click()
  shown[0]?.click()
  await expect.poll(address).toBe(`/operations/${operationId}`)
})

test('the end of a batch is told after its page was left, with its results', async () => {
  const shown = recordNotifications()
  const batchId = '01920000-0000-7000-8000-0000000000aa'
  let current = batchWith({
    batchId,
    action: 'DETACH',
    title: 'Clean up',
    createdAt: at(0),
    counts: { PENDING: 1, RUNNING: 1, SUCCEEDED: 1 },
  })
  await serveScope({
    'GET /batches/{batchId}': () => current,
    'GET /batches/{batchId}/items': () => ({ items: [] }),
    'GET /operations': () => ({ items: [], nextCursor: null }),
  })
  await renderConsole(`/batches/${batchId}`)
  await watch.click()
  await expect.element(watching).toBeVisible()
  await page.getByRole('link', { name: 'Operations' }).first().click()
  current = {
    ...current,
    state: 'DONE',
    finishedAt: at(5_000),
    counts: { ...current.counts, PENDING: 0, RUNNING: 0, SUCCEEDED: 2, FAILED: 1 },
  }
  await expect.poll(() => shown, { timeout: 12_000 }).toHaveLength(1)
  expect(shown[0]?.title).toBe('Clean up: Finished')
  expect(shown[0]?.body).toBe('2 succeeded, 1 failed')
})

test('what a person watches is remembered over a reload, and is not told to another person', async () => {
  recordNotifications()
  const running = operation({ state: 'RUNNING', finishedAt: null })
  await serveScope({
    'GET /operations/{operationId}': () => running,
    'PUT /follows': () => followOf(running.operationId),
  })
  await renderConsole(`/operations/${running.operationId}`)
  await watch.click()
  await expect.element(watching).toBeVisible()
  const kept = { ...sessionStorage }
  // in the same tab
  watchAs('mira')
  await expect.element(watch).toBeVisible()
  watchAs(OLIVIA.id)
  await expect.element(watch).toBeVisible()
  // a reload: the tab begins with what it has stored
  watchAs('nobody')
  for (const [key, value] of Object.entries(kept)) sessionStorage.setItem(key, String(value))
  watchAs(OLIVIA.id)
  await expect.element(watching).toBeVisible()
  await watching.click()
})

test('a person who has blocked notifications is notified of an operation in the inbox, and told what to do for a batch', async () => {
  recordNotifications('denied')
  const running = operation({ state: 'RUNNING', finishedAt: null })
  const { operationId } = running
  const batch = batchWith({})
  let follows: Follow[] = []
  let isFull = true
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => running,
    'GET /batches/{batchId}': () => batch,
    'GET /batches/{batchId}/items': () => ({ items: [] }),
    'GET /follows': () => ({ items: follows, nextCursor: null }),
    'PUT /follows': () => {
      if (isFull) return refusal({ code: 'REQUEST_INVALID', message: 'You follow too much' })
      const follow = followOf(operationId)
      follows = [follow]
      return follow
    },
    'DELETE /follows/{followId}': ({ params }) => {
      follows = []
      return { followId: params['followId'] ?? '' }
    },
  })
  const { unmount } = await renderConsole(`/operations/${operationId}`)
  // one button says it, and not two
  await expect.element(watch).toBeVisible()
  await expect.element(page.getByRole('button', { name: /^Follow/ })).not.toBeInTheDocument()
  await watch.click()
  await expect.poll(() => api.requests('PUT /follows')).toHaveLength(1)
  await expect.element(page.getByText(/You follow too much|not valid/)).toBeVisible()
  await expect.element(page.getByText('You will be notified in your inbox.')).not.toBeInTheDocument()
  isFull = false
  await watch.click()
  await expect.element(page.getByText('You will be notified in your inbox.')).toBeVisible()
  await expect.element(watching).toHaveAttribute('aria-pressed', 'true')
  expect(api.requests('PUT /follows')[0]?.body).toMatchObject({ subject: { kind: 'operation', operationId } })
  await watching.click()
  await expect.element(watch).toHaveAttribute('aria-pressed', 'false')
  expect(follows).toEqual([])
  await unmount()

  await renderConsole(`/batches/${batch.batchId}`)
  await watch.click()
  await expect.element(page.getByText(/Allow them in the site settings/)).toBeVisible()
  await expect.element(watch).toHaveAttribute('aria-pressed', 'false')
})
