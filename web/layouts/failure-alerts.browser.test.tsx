import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { operation, at } from '../pages/operations/detail/calls/testing.ts'
import { renderConsole } from '../testing/render.tsx'
import { serveScope } from '../testing/served-scope.ts'

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
})

test('what fails in the background is counted in the title, and notified when the person wants it', async () => {
  const shown: { title: string; body: string | undefined; click: () => void }[] = []
  class Recorded extends EventTarget {
    static permission = 'default'
    static requestPermission() {
      Recorded.permission = 'granted'
      return Promise.resolve('granted')
    }
    constructor(title: string, options?: NotificationOptions) {
      super()
      shown.push({ title, body: options?.body, click: () => this.dispatchEvent(new Event('click')) })
    }
    close() {}
  }
  window.Notification = Recorded as unknown as typeof Notification
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
