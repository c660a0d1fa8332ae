import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Snapshot } from '#contract/console-api/shapes.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { MAIL, OLIVIA, serveScope } from '../../../testing/served-scope.ts'
import { HISTORY } from '../draft/endpoints.ts'

const snapshot = (snapshotVersion: number, savedAt: string, cause: Snapshot['cause'] = 'SAVE'): Snapshot => ({
  snapshotVersion,
  savedAt,
  savedBy: OLIVIA,
  reason: null,
  cause,
  operationId: null,
  operations: [],
  changes: [{ locator: MAIL, property: 'smtpPort', before: wrapData(snapshotVersion), after: wrapData(587) }],
})

test('the history is grouped by day, and only what is not a save says what it is', async () => {
  const items = [
    snapshot(4, '2025-11-20T12:00:00.000Z'),
    snapshot(3, '2025-11-20T11:00:00.000Z'),
    snapshot(2, '2025-11-18T12:00:00.000Z', 'CREATED'),
  ]
  const scope = await serveScope({ [HISTORY]: () => ({ items, nextCursor: null }) })
  await renderConsole(`${scope.address(MAIL)}&tab=history`)
  const ofDay = (name: string) => page.getByRole('region', { name }).getByRole('listitem')
  await expect.element(ofDay('20 Nov 2025').first()).toMatchTextContent(/^4/)
  expect(ofDay('20 Nov 2025').elements()).toHaveLength(2)
  await expect.element(ofDay('18 Nov 2025')).toMatchTextContent(/Scope created/)
  await expect.element(ofDay('20 Nov 2025').first()).not.toMatchTextContent(/Saved/)
})

test('the undo of a save says in its reason what it undoes, while nothing else is saved with it', async () => {
  const items = [
    { ...snapshot(4, '2025-11-20T12:00:00.000Z'), reason: 'Provider change' },
    snapshot(3, '2025-11-20T11:00:00.000Z'),
  ]
  const scope = await serveScope({ [HISTORY]: () => ({ items, nextCursor: null }) })
  await renderConsole(`${scope.address(MAIL)}&tab=history`)
  const undo = page.getByRole('button', { name: 'Undo this save' })
  const reason = page
    .getByRole('dialog', { name: 'Review changes' })
    .getByRole('textbox', { name: /^Reason/ })
  await undo.first().click()
  await expect.element(reason).toHaveValue('Undo of snapshot 4: Provider change')
  const back = page.getByRole('button', { name: 'Back to form' })
  await back.click()
  await userEvent.keyboard('{Control>}s{/Control}')
  await expect.element(reason).toHaveValue('')
  await back.click()
  await undo.nth(1).click()
  await expect.element(reason).toHaveValue('')
  await back.click()
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await undo.nth(1).click()
  await expect.element(reason).toHaveValue('Undo of snapshot 3')
})
