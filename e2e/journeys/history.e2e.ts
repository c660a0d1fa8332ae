import { readFile } from 'node:fs/promises'
import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { configurationPath, expectApplied, field, MAIL, review, saveButton } from '../vocabulary.ts'
import { countInput } from '../harness/count-input.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

test('a save of three properties is undone in four clicks, and names its operation', async ({ editing }) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })
  await field(page, 'SMTP user').fill('outbound')
  await field(page, 'SMTP host').fill('smtp.elsewhere.example')
  await review(page)
  await saveButton(page).click()
  await expectApplied(page)

  const input = await countInput(page)
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await expect(page.getByRole('link', { name: 'Configure operation' }).first()).toBeVisible()
  await page.getByRole('button', { name: 'Undo this save' }).first().click()
  const changes = page.getByRole('dialog').getByLabel('Changes of CRM mail')
  await expect(changes).toContainText(/Before: 2525.*After: 587/s)
  await expect(changes).toContainText('After: smtp.example.com')
  await saveButton(page).click()
  await expect(page.getByRole('button', { name: '1 earlier save' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: /Snapshot \d+ applied/ })).toHaveCount(1)
  expect(await input.clicks()).toBeLessThanOrEqual(4)
  await page.getByRole('link', { name: 'Form', exact: true }).click()
  await expect(field(page, 'SMTP port')).toHaveValue('587')
  await expect(field(page, 'SMTP user')).toHaveValue('crm')
})

test('two snapshots are compared, several values restored, and the history is narrowed to a person', async ({
  system,
  signIn,
  crmScope,
}) => {
  for (const [property, value] of [
    ['smtpPort', 2525],
    ['smtpUser', 'ling'],
  ] as const) {
    const { operationId } = await system.configure(crmScope, mail, property, wrapData(value), ling)
    await system.ended(operationId)
  }
  const page = await signIn('olivia', `${configurationPath(crmScope, MAIL)}&tab=history`)
  const entries = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Compare/ }) })
  // the snapshot of the install, below the two saves
  await entries.last().getByRole('button', { name: 'Compare with now' }).click()
  const comparison = page.getByRole('region', { name: 'Compare snapshots' })
  await expect(comparison).toContainText('SMTP user')
  await comparison.getByRole('button', { name: /^Select/ }).click()
  await comparison.getByRole('button', { name: /^Restore \d/ }).click()
  const changes = page.getByRole('dialog').getByLabel('Changes of CRM mail')
  await expect(changes).toContainText(/Before: ling/)
  // the port is required, and had no value yet in that snapshot
  await expect(changes).not.toContainText('2525')
  await page.keyboard.press('Escape')

  await page.getByLabel('Person').selectOption('Ling Zhao')
  await expect(page).toHaveURL(/by=/)
  await expect(page.getByRole('button', { name: 'Undo this save' })).toHaveCount(2)
})

test('a scope is compared with another one, and one of its values is taken', async ({
  system,
  signIn,
  crmScope,
}) => {
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  await system.ended(operationId)
  const other = system.newScope()
  await system.install(other, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', `${configurationPath(other, MAIL)}&tab=history`)
  await page.getByRole('button', { name: 'Compare with another scope' }).click()
  const comparison = page.getByRole('region', { name: 'Compare with another scope' })
  const { environmentKey, applicationRuntimeId, workspaceId } = crmScope
  const text = `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  await comparison.getByLabel('Other scope').fill(text)
  await page.getByRole('option', { name: text, exact: true }).click()
  await expect(page).toHaveURL(/with=/)
  // a shared address opens the same comparison
  await page.reload()
  await comparison.getByRole('checkbox', { name: 'Take this value: SMTP port' }).check()
  await comparison.getByRole('button', { name: 'Take 1 value' }).click()
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText(/After: 2,?525/)
})

test('a value that is saved and not applied yet says so until its operation has succeeded', async ({
  system,
  editing,
  crmScope,
}) => {
  await system.script.add({ when: { workspaceId: crmScope.workspaceId }, behaviour: { kind: 'unknown' } })
  const page = await editing()
  await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  const pending = page.getByText('Saved, not applied yet')
  await expect(pending).toHaveCount(1)
  await system.script.clear()
  await expect(pending).toHaveCount(0)
})

test('a downloaded configuration, and the values of another scope, come back as edits', async ({
  system,
  editing,
  crmScope,
}) => {
  const other = system.newScope()
  await system.install(other, 'crm-suite', '1.0.0')
  const { operationId } = await system.configure(other, mail, 'smtpPort', wrapData(2525), ling)
  await system.ended(operationId)
  const page = await editing()
  const files = page.getByRole('button', { name: 'File', exact: true })
  await files.click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download as YAML' }).click(),
  ])
  const text = await readFile(await file.path(), 'utf8')
  expect(text).not.toMatch(/isSensitive/)

  await files.click()
  await page.getByRole('menuitem', { name: 'Copy values from another scope' }).click()
  await page.getByRole('combobox', { name: 'Copy from' }).fill(`e2e/${other.workspaceId}`)
  await page.getByRole('dialog').getByRole('option').first().click()
  await page.getByRole('button', { name: 'Copy and review' }).click()
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText('After: 2525')
  await saveButton(page).click()
  await expectApplied(page)

  await page.getByLabel('Import file').setInputFiles({
    name: 'configuration.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from(text),
  })
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText(/2525.*587/s)
  expect(await system.operations(crmScope, 'CONFIGURE')).toHaveLength(1)
})

test('a file is refused where its values would change; once corrected, it is saved as it was written', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  await page.getByRole('button', { name: 'File', exact: true }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download as YAML' }).click(),
  ])
  const text = await readFile(await file.path(), 'utf8')
  const line = text.split('\n').findIndex((one) => one.includes('value: 587')) + 1
  expect(line).toBeGreaterThan(0)
  const importText = async (name: string, value: string) =>
    await page.getByLabel('Import file').setInputFiles({
      name,
      mimeType: 'application/yaml',
      buffer: Buffer.from(text.replace('value: 587', value)),
    })
  for (const [value, reason] of [
    ['value: 9007199254740993', 'This number cannot be kept exactly'],
    ['value: !!binary NTg3', 'This tag is not supported'],
    ['value: 587\n      value: 588', 'The same key is in this object twice'],
  ] as const) {
    await importText('large.yaml', value)
    const dialog = page.getByRole('dialog', { name: 'large.yaml was not imported' })
    await expect(dialog).toContainText(reason)
    await expect(dialog).toContainText(`Line ${reason.includes('key') ? line + 1 : line}, column`)
  }
  await importText('fixed.yaml', 'value: 5.87e2 # the same')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await importText('changed.yaml', 'value: 2.525e3')
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText(/587.*2525/s)
  await saveButton(page).click()
  await expectApplied(page)
  expect(await system.operations(crmScope, 'CONFIGURE')).toHaveLength(1)
})
