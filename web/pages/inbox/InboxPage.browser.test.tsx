import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { changeRequestWith } from '../../testing/change-request.ts'
import { batchWith } from '../../testing/batch.ts'
import { serveApi } from '../../testing/api.ts'
import { renderConsole } from '../../testing/render.tsx'

const PARTLY_DONE = batchWith({
  action: 'UPGRADE',
  title: 'Upgrade the shops',
  input: { targetVersion: '2.0.0', properties: [] },
  state: 'DONE',
  createdAt: '2026-11-22T06:00:00.000Z',
  finishedAt: '2026-11-22T07:00:00.000Z',
  counts: { SUCCEEDED: 1, FAILED: 2 },
})

test('the inbox has what waits for an approval by the person, an approval that no longer counts, and how a batch ended', async () => {
  const request = changeRequestWith({ title: 'Move the mail port' })
  const changeRequest = { ...request, title: 'Close the shop' }
  await serveApi({
    'GET /session': () => ({
      user: { id: 'olivia', name: 'Olivia' },
      roles: ['operator'],
      permissions: ['read', 'change:approve'],
      grants: [{ permissions: ['read', 'change:approve'], scope: null }],
      environmentMarks: [],
    }),
    'GET /inbox/unread': () => ({ unread: 1 }),
    'GET /change-requests/waiting': () => ({ count: 1 }),
    'GET /change-requests': () => ({ items: [request], nextCursor: null }),
    'GET /inbox': () => ({
      items: [
        {
          notificationId: '01920000-0000-7000-8000-0000000000d1',
          event: 'change.outdated',
          because: 'approved',
          at: '2026-11-22T08:00:00.000Z',
          by: null,
          readAt: null,
          snoozedUntil: null,
          operation: null,
          batch: null,
          cause: null,
          changeRequest,
        },
        {
          notificationId: '01920000-0000-7000-8000-0000000000d2',
          event: 'batch.finished',
          because: 'requested',
          at: '2026-11-22T07:00:00.000Z',
          by: null,
          readAt: '2026-11-22T07:30:00.000Z',
          snoozedUntil: null,
          operation: null,
          batch: PARTLY_DONE,
          cause: null,
          changeRequest: null,
        },
      ],
      nextCursor: null,
    }),
  })
  await renderConsole('/inbox')
  await expect.element(page.getByRole('link', { name: 'Inbox, 2 unread' })).toBeVisible()
  await expect
    .element(page.getByRole('link', { name: 'Move the mail port' }))
    .toHaveAttribute('href', `/change-requests/${request.changeRequestId}`)
  const row = page.getByRole('row').filter({ hasText: 'Close the shop' })
  await expect.element(row.getByText('You approved it')).toBeVisible()
  await expect.element(row.getByText(/Your approval no longer counts/)).toBeVisible()
  const batch = page.getByRole('row').filter({ hasText: 'Upgrade the shops' })
  await expect.element(batch.getByText('2 not done')).toBeVisible()
})
