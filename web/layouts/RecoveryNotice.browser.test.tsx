import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Recovery } from '#contract/console-api/shapes.ts'
import { serveApi } from '../testing/api.ts'
import { renderInConsole } from '../testing/render.tsx'
import { RecoveryNotice } from './RecoveryNotice.tsx'

const at = new Date(Date.now() - 60_000).toISOString()
const restored: Recovery = {
  at,
  because: 'BACKUP_RESTORED',
  backup: { at: '2026-11-22T02:00:00.000Z', version: '0.1.0', build: null },
  raisedBy: 100_000,
  operationsInDoubt: 2,
}
const serve = (recovery: Recovery | null) => serveApi({ 'GET /recovery': () => ({ recovery }) })

beforeEach(() => localStorage.clear())

test('a restore is told until it is dismissed in this browser', async () => {
  await serve(restored)
  const first = await renderInConsole(<RecoveryNotice />)
  const notice = page.getByRole('status')
  await expect
    .element(notice.getByText(/^The database was restored on .* from the backup of 22 Nov 2026/))
    .toBeVisible()
  await expect.element(notice.getByText(/2 operations were in progress/)).toBeVisible()
  const link = page.getByRole('link', { name: 'Show operations in doubt' })
  await expect.element(link).toHaveAttribute('href', '/operations?inDoubt=open')
  await userEvent.click(page.getByRole('button', { name: 'Dismiss' }))
  await expect.element(notice).not.toBeInTheDocument()
  await first.unmount()

  await renderInConsole(
    <>
      <RecoveryNotice />
      <p>the page</p>
    </>,
  )
  await expect.element(page.getByText('the page')).toBeVisible()
  await expect.element(notice).not.toBeInTheDocument()
})

test('a failover without operations in progress has no link, and a later one is told again', async () => {
  localStorage.setItem('recovery-dismissed', '2026-01-01T00:00:00.000Z')
  await serve({ ...restored, because: 'SERVER_CHANGED', backup: null, operationsInDoubt: 0 })
  await renderInConsole(<RecoveryNotice />)
  await expect.element(page.getByRole('status').getByText(/No operation was in progress\.$/)).toBeVisible()
  await expect.element(page.getByRole('link')).not.toBeInTheDocument()
})

test.each([
  ['a viewer', restored, false],
  ['after a month', { ...restored, at: new Date(Date.now() - 31 * 86_400_000).toISOString() }, true],
])('it is not told to %s', async (_, recovery, can) => {
  const api = await serve(recovery)
  await renderInConsole(<RecoveryNotice />, { can: () => can })
  await expect.poll(() => api.requests('GET /recovery').length).toBeGreaterThan(0)
  await expect.element(page.getByRole('status')).not.toBeInTheDocument()
})
