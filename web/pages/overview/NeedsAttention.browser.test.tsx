import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../../testing/render.tsx'
import { serveScope } from '../../testing/served-scope.ts'
import { at, operation } from '../operations/detail/calls/testing.ts'
import { NeedsAttention } from './NeedsAttention.tsx'

const waiting = operation({ state: 'WAITING', phase: 'BEFORE_RESOURCES', nextAttemptAt: at(60_000) })
const doubtful = {
  ...waiting,
  operationId: '01900000-0000-7000-8000-000000000099',
  title: 'Restored shop',
  inDoubtSince: at(0),
}

test('an operation in doubt is not an ordinary retry', async () => {
  await serveScope({
    'GET /causes': () => ({ causes: [], total: 0 }),
    'GET /operations': () => ({ items: [waiting, doubtful], nextCursor: null }),
    'GET /installations': () => ({ items: [], nextCursor: null }),
    'GET /summary': () => ({
      installations: { NOT_INSTALLED: 0, ACTIVE: 0, DETACHED: 0 },
      outdated: 0,
      claims: [{ operationType: 'INSTALL' as const, state: 'WAITING' as const, count: 2 }],
      nextSteps: [{ actor: 'SUPPORT' as const, action: 'CHECK_IN_DOUBT' as const, count: 3 }],
      operations: { PENDING: 0, RUNNING: 0, WAITING: 2, SUCCEEDED: 0, FAILED: 0, TAKEN_OVER: 0 },
      clockAheadMs: null,
    }),
    'GET /troubles': () => ({ items: [] }),
  })
  await renderInConsole(<NeedsAttention />)
  const groups = page.getByRole('listitem')
  await expect.element(groups).toHaveLength(2)
  await expect.element(page.getByRole('heading', { name: 'In doubt 3' })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'Retrying automatically 1' })).toBeVisible()
  // the name has a space that does not break
  const doubted = groups.filter({ hasText: /Restored.shop/ })
  await expect.element(doubted).toHaveLength(1)
  expect(groups.first().element()).toBe(doubted.element())
  await expect
    .element(page.getByRole('link', { name: /In doubt/ }))
    .toHaveAttribute('href', '/operations?inDoubt=open')
})
