import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Snapshot } from '#contract/console-api/shapes.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../testing/render.tsx'
import { MAIL, OLIVIA, serveScope } from '../../testing/served-scope.ts'
import { HISTORY } from './draft/endpoints.ts'
import { hidden } from './testing.ts'

// Who manages a property: docs/runtime-api.md#managers-of-properties.

const port = page.getByRole('textbox', { name: 'SMTP port' })
const managed = 'Managed by the apply “gitops”'

const snapshot = (
  snapshotVersion: number,
  managedBy: Snapshot['changes'][number]['managedBy'],
): Snapshot => ({
  snapshotVersion,
  savedAt: '2026-11-20T10:00:00.000Z',
  savedBy: OLIVIA,
  reason: null,
  cause: 'SAVE',
  operationId: null,
  operations: [],
  changes: [
    {
      locator: MAIL,
      property: 'smtpPort',
      before: wrapData(snapshotVersion),
      after: wrapData(587),
      ...(managedBy !== undefined && { managedBy }),
    },
  ],
})

async function renderEditor() {
  const items = [snapshot(4, 'apply:gitops'), snapshot(3, 'person'), snapshot(2, 'default:1.0.0')]
  const scope = await serveScope({ [HISTORY]: () => ({ items, nextCursor: null }) })
  const mail = scope.configuration().resources[MAIL]
  if (mail !== undefined)
    mail.managedBy = { smtpPort: 'apply:gitops', smtpHost: 'person', smtpUser: 'default:1.0.0' }
  await renderConsole(scope.address(MAIL))
}

test('a field says which apply manages it, and an edit says what saving it means', async () => {
  await renderEditor()
  await expect.element(port).toHaveValue('587')
  await expect.element(page.getByText(managed)).toBeVisible()
  expect(page.getByText(/Managed by/).elements()).toHaveLength(1)
  await port.fill('2525')
  await expect
    .element(
      page.getByText(
        /If you save this, people manage the property.*the apply “gitops” can change it only by taking it over/,
      ),
    )
    .toBeVisible()
  await page.getByRole('button', { name: /^Reset / }).click()
  await expect.element(page.getByText(/If you save this/)).not.toBeInTheDocument()
})

test('the history of a property says who manages it, and where each value came from', async () => {
  await renderEditor()
  await page.getByRole('button', { name: 'Value history of SMTP port' }).click()
  const entries = page.getByRole('dialog').getByRole('listitem')
  await expect
    .element(entries.nth(0))
    .toMatchTextContent(/Managed by the apply “gitops”.*Applied as “gitops”/)
  await expect.element(entries.nth(2)).toMatchTextContent(/Default of version 1\.0\.0/)
  await expect.element(entries.nth(1)).not.toMatchTextContent(/Applied as|Default of/)
})

test('a hidden value says how old it is and who set it, until it is edited', async () => {
  const scope = await serveScope({})
  const mail = scope.configuration().resources[MAIL]
  const password = mail?.definitions['smtpUser']
  if (mail === undefined || password === undefined) throw new Error('The scope has another property')
  mail.definitions['smtpUser'] = { ...password, isSensitive: true }
  mail.properties['smtpUser'] = hidden(true)
  mail.sensitiveSet = { smtpUser: { at: new Date(Date.now() - 43 * 86_400_000).toISOString(), by: OLIVIA } }
  await renderConsole(scope.address(MAIL))
  const age = page.getByText(`Set 43 days ago by ${OLIVIA.name}`)
  await expect.element(age).toBeVisible()
  await page.getByRole('button', { name: /^Replace/ }).click()
  await page.getByPlaceholder('New value').fill('another')
  await expect.element(age).not.toBeInTheDocument()
})
