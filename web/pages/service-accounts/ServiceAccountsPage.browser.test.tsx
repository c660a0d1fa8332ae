import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderConsole } from '../../testing/render.tsx'
import { OLIVIA, serveScope } from '../../testing/served-scope.ts'

test('on a phone, a token says when it was created and by whom, with a space between', async () => {
  const at = '2026-11-22T08:00:00.000Z'
  const token = {
    tokenId: '0198c5a0-0000-7000-8000-000000000003',
    createdAt: at,
    createdBy: OLIVIA,
    expiresAt: '2099-11-22T08:00:00.000Z',
    lastUsedAt: null,
    revokedAt: null,
  }
  const account = {
    accountId: '0198c5a0-0000-7000-8000-000000000002',
    name: 'deploy-robot',
    roles: [{ role: 'viewer' as const, scope: null }],
    createdAt: at,
    createdBy: OLIVIA,
    updatedAt: at,
    tokens: [token],
  }
  await serveScope({
    'GET /session': () => ({
      user: OLIVIA,
      roles: ['admin'],
      permissions: ['account:write'],
      grants: [{ permissions: ['account:write'], scope: null }],
      environmentMarks: [],
    }),
    'GET /service-accounts': () => ({ items: [account], nextCursor: null }),
  })
  await page.viewport(360, 740)
  await renderConsole('/service-accounts')
  const cell = page.getByRole('cell').filter({ hasText: /by Olivia Quill/ })
  await expect.element(cell).toBeVisible()
  // as it is laid out, and not as it is in the document
  expect((cell.element() as HTMLElement).innerText).toMatch(/\S by Olivia Quill/)
})
