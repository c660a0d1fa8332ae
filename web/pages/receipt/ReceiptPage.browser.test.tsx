import canonicalize from 'canonicalize'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderConsole } from '../../testing/render.tsx'
import { serveScope } from '../../testing/served-scope.ts'
import { call, operation, timeout } from '../operations/detail/calls/testing.ts'

const timedOut = timeout()
const failed = operation(
  {
    state: 'FAILED',
    phase: 'AFTER_RESOURCES',
    failure: { ...timedOut.failure!, attemptsUsed: 3 },
    takesOver: '01900000-0000-7000-8000-000000000009',
    nextStep: { actor: 'PLUGIN_OWNER', action: 'CHECK_PLUGIN', since: timedOut.startedAt },
  },
  { after: [call('hooks', 20, [timedOut])] },
)

/** A receipt with the right digest. */
async function receiptOf(bundleId: string): Promise<File> {
  const installation = { ...failed.installation, bundle: { environmentKey: 'staging', bundleId } }
  const content = {
    format: 'bundle-console/operation-receipt',
    version: 1,
    exportedAt: '2026-11-21T10:00:00.000Z',
    exportedBy: { id: 'u1', name: 'Sam' },
    operation: { ...failed, installation },
  }
  const bytes = new TextEncoder().encode(canonicalize(content))
  const digest = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
  const sha256 = digest.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return new File([JSON.stringify({ ...content, sha256 })], 'receipt.json', { type: 'application/json' })
}

test('a receipt describes the past, has no links and sends no request', async () => {
  const { api } = await serveScope()
  await renderConsole('/receipt')
  const input = page.getByLabelText('Receipt file')
  await userEvent.upload(input, await receiptOf('support-desk'))
  const panel = page.getByRole('region', { name: 'Why it failed' })
  await expect
    .element(panel.getByText('All 3 attempts of run 1 had been used, and nothing was scheduled.'))
    .toBeVisible()
  await expect.element(panel.getByText('Next step at that time')).toBeVisible()
  await expect.element(panel.getByText('What to do')).not.toBeInTheDocument()
  const main = page.getByRole('main')
  expect(
    main
      .getByRole('link')
      .all()
      .map((link) => link.element().textContent),
  ).toEqual(['Operations'])
  expect(api.requests('GET /operations/{operationId}')).toEqual([])

  // the next file replaces the first one
  await userEvent.upload(input, await receiptOf('crm-suite'))
  await expect.element(page.getByRole('heading', { name: /crm-suite/ })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: /support-desk/ })).not.toBeInTheDocument()
})
