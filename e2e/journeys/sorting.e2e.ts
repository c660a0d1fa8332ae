import type { Page } from '@playwright/test'
import { expect, test } from '../harness/test.ts'
import { isInWorkspace } from '../vocabulary.ts'

/** The workspaces of the rows shown, from the top. */
const rowsOf = (page: Page, workspaces: readonly number[]) =>
  page
    .getByRole('table', { name: 'Operations' })
    .getByRole('row')
    .allInnerTexts()
    .then((texts) => texts.flatMap((text) => workspaces.filter((id) => isInWorkspace(text, id))))

test('operations are sorted by their end, also on a phone, and move when they end', async ({
  system,
  signIn,
  signInOnPhone,
}) => {
  const applicationRuntimeId = `sorted-${system.newScope().workspaceId}`
  const early = { ...system.newScope(), applicationRuntimeId }
  const late = { ...system.newScope(), applicationRuntimeId }
  await system.script.add({ when: { workspaceId: early.workspaceId }, behaviour: { kind: 'unknown' } })
  const { operation } = await system.start(early, 'crm-suite', '1.0.0')
  await system.install(late, 'crm-suite', '1.0.0')
  const path = `/operations?applicationRuntimeId=${applicationRuntimeId}`
  const page = await signIn('sam', path)
  const rows = (shown: Page = page) => rowsOf(shown, [early.workspaceId, late.workspaceId])
  await expect.poll(rows).toEqual([late.workspaceId, early.workspaceId])

  const state = page.getByRole('columnheader', { name: /^State/ })
  await state.getByRole('button', { name: 'Created' }).click()
  await expect.poll(rows).toEqual([early.workspaceId, late.workspaceId])
  await state.getByRole('button', { name: 'Ended' }).click()
  await expect.poll(rows).toEqual([late.workspaceId, early.workspaceId])
  await expect(page.getByRole('row', { name: /Not ended/ })).toContainText(`/${early.workspaceId}`)

  await system.script.clear()
  await system.ended(operation.operationId)
  await expect.poll(rows).toEqual([early.workspaceId, late.workspaceId])
  await page.reload()
  await expect(state).toHaveAttribute('aria-sort', 'descending')
  await expect.poll(rows).toEqual([early.workspaceId, late.workspaceId])

  const phone = await signInOnPhone('sam', path)
  await expect.poll(() => rows(phone)).toEqual([late.workspaceId, early.workspaceId])
  await phone.getByRole('combobox', { name: 'Sort by' }).selectOption('Ended, descending')
  await expect.poll(() => rows(phone)).toEqual([early.workspaceId, late.workspaceId])
})
