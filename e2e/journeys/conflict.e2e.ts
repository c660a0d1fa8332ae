import type { JsonValue } from '#contract/json-schema/json.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { mira } from '../../demo/people.ts'
import { CORE, expectApplied, field, review, saveButton } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const core = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-core' } as const
const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
const timer = { bundleId: 'crm-suite', kind: 'TIMER', name: 'nightly-sync' } as const

test('a colleague saves another resource: the page updates, says so, and the edit is saved on top', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })

  const theirs = await system.configure(crmScope, timer, 'cron', wrapData('0 3 * * *'), mira)
  await expect(page.getByText(/Moved to snapshot \d+ by Mira Castellan/)).toBeVisible()
  await expect(field(page, 'SMTP port')).toHaveValue('2525')
  await system.ended(theirs.operationId)

  await review(page)
  await saveButton(page).click()
  await expectApplied(page)
  await page.getByRole('link', { name: /Nightly synchronization/ }).click()
  await expect(field(page, 'When to synchronize')).toHaveValue('0 3 * * *')
})

test('a colleague saves another property: nothing is lost, both values are saved', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })

  const theirs = await system.configure(crmScope, mail, 'smtpUser', wrapData('mira'), mira)
  const notice = page.getByRole('status').filter({ hasText: 'Mira Castellan saved snapshot' })
  await expect(notice).toContainText('does not overlap')
  await system.ended(theirs.operationId)
  await notice.getByRole('button', { name: 'Review and keep mine' }).click()
  const dialog = page.getByRole('dialog', { name: 'Someone else saved first' })
  await expect(dialog).toContainText('1 of your changes does not overlap and is kept as is')
  await dialog.getByRole('button', { name: 'Continue on top of theirs' }).click()
  await saveButton(page).click()

  await expectApplied(page)
  await expect(field(page, 'SMTP port')).toHaveValue('2525')
  await expect(field(page, 'SMTP user')).toHaveValue('mira')
})

test('a colleague saves the same properties: each needs a choice of theirs, mine or a third value', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })
  await field(page, 'SMTP user').fill('olivia')
  await field(page, 'SMTP host').fill('olivia.example')
  for (const [property, value] of [
    ['smtpPort', 465],
    ['smtpUser', 'mira'],
    ['smtpHost', 'mira.example'],
  ] as const) {
    const { operationId } = await system.configure(crmScope, mail, property, wrapData(value), mira)
    await system.ended(operationId)
  }

  await expect(page.getByText('3 of your changes overlap with theirs')).toBeVisible()
  const dialog = await review(page)
  const port = dialog.getByRole('group', { name: 'SMTP port' })
  await expect(port).toContainText('You started from587')
  await expect(port).toContainText(/Mira Castellan.*Use theirs465/)
  await expect(port).toContainText('Keep mine2525')
  const continueButton = dialog.getByRole('button', { name: 'Continue on top of theirs' })
  await expect(continueButton).toBeDisabled()
  await expect(continueButton).toHaveAccessibleDescription('Decide on 3 more values.')

  await port.getByRole('radio', { name: 'Keep mine' }).check()
  await dialog.getByRole('group', { name: 'SMTP user' }).getByRole('radio', { name: 'Use theirs' }).check()
  const host = dialog.getByRole('group', { name: 'SMTP host' })
  await host.getByRole('radio', { name: 'Another value' }).check()
  await host.getByRole('textbox').fill('both.example')
  await continueButton.click()
  await expect(dialog.getByLabel('Changes of CRM mail')).toContainText('Before: mira.example')
  await saveButton(page).click()

  await expectApplied(page)
  await expect(field(page, 'SMTP port')).toHaveValue('2525')
  await expect(field(page, 'SMTP user')).toHaveValue('mira')
  await expect(field(page, 'SMTP host')).toHaveValue('both.example')
})

test('two people change one object and one list: both changes are kept, and only the same leaf is decided on', async ({
  system,
  editing,
  crmScope,
}) => {
  const saveAsMira = async (property: string, value: JsonValue) =>
    system.ended((await system.configure(crmScope, core, property, wrapData(value), mira)).operationId)
  const addStage = async (name: string) => {
    const stages = page.getByRole('group', { name: 'Pipeline stages' })
    await stages.getByRole('button', { name: 'Add item' }).click()
    await stages.getByRole('textbox').last().fill(name)
  }
  const page = await editing({ resource: CORE })
  await field(page, 'Contacts, in days').fill('365')
  await addStage('Lost')
  await saveAsMira('retention', { contactsDays: 730, dealsDays: 3650 })
  await saveAsMira('pipelineStages', ['Won', 'New', 'Qualified', 'Proposal', 'Dormant'])
  await expect(page.getByText('Your 2 changes do not overlap with theirs')).toBeVisible()

  const dialog = await review(page)
  await expect(dialog).toContainText('2 properties were changed by both of you at different places')
  const days = dialog.getByRole('list', { name: 'Retention · CRM core' }).getByRole('listitem')
  await expect(days).toHaveText([
    /Deals, in days.*1825.*3650.*Mira Castellan/,
    /Contacts, in days.*730.*365.*yours/,
  ])
  const stages = dialog.getByRole('list', { name: 'Pipeline stages · CRM core' }).getByRole('listitem')
  await expect(stages).toHaveText([
    /Item 1.*moved from position 4 to 1 Won/,
    /Item 5.*added Dormant/,
    /Item 5.*added Lost.*yours/,
  ])
  const goOn = dialog.getByRole('button', { name: 'Continue on top of theirs' })
  await goOn.click()
  const changes = dialog.getByLabel('Changes of CRM core')
  await expect(changes).toContainText('Lost')

  // before the save she changes the same leaf, and another one
  await saveAsMira('retention', { contactsDays: 90, dealsDays: 1000 })
  const retention = dialog.getByRole('group', { name: 'Retention' })
  await expect(retention.getByRole('radio')).toHaveCount(3)
  const contacts = retention.getByRole('group', { name: 'Contacts, in days' })
  await expect(contacts).toContainText('You started from730Use theirs90Keep mine365')
  await expect(dialog.getByText('0 of 1 decided')).toBeVisible()
  await contacts.getByRole('radio', { name: 'Keep mine' }).check()
  await goOn.click()
  await saveButton(page).click()
  await expectApplied(page)
  await expect(field(page, 'Contacts, in days')).toHaveValue('365')
  await expect(field(page, 'Deals, in days')).toHaveValue('1000')
  const names = page.getByRole('group', { name: 'Pipeline stages' }).getByRole('textbox')
  const values = () => names.evaluateAll((boxes) => boxes.map((box) => (box as HTMLTextAreaElement).value))
  await expect.poll(values).toEqual(['Won', 'New', 'Qualified', 'Proposal', 'Dormant', 'Lost'])
})

test('theirs for one leaf keeps my other edits of the object', async ({ system, editing, crmScope }) => {
  const page = await editing({ resource: CORE })
  await field(page, 'Contacts, in days').fill('365')
  await field(page, 'Deals, in days').fill('900')
  const theirs = { contactsDays: 90, dealsDays: 1825 }
  const { operationId } = await system.configure(crmScope, core, 'retention', wrapData(theirs), mira)
  await system.ended(operationId)
  await expect(page.getByText('1 of your changes overlaps with theirs')).toBeVisible()
  const dialog = await review(page)
  await dialog.getByRole('radio', { name: 'Use theirs' }).check()
  await dialog.getByRole('button', { name: 'Continue on top of theirs' }).click()
  await saveButton(page).click()
  await expectApplied(page)
  await expect(field(page, 'Contacts, in days')).toHaveValue('90')
  await expect(field(page, 'Deals, in days')).toHaveValue('900')
})

test('another save between the decision and the save raises the conflict again, and nothing is overwritten', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing({ field: 'SMTP user', value: 'olivia' })
  const dialog = await review(page)
  await expect(saveButton(page)).toBeEnabled()

  const { operationId } = await system.configure(crmScope, mail, 'smtpUser', wrapData('mira'), mira)
  const theirs = dialog.getByRole('radio', { name: 'Use theirs' })
  await expect(theirs).toBeVisible()
  await system.ended(operationId)
  await theirs.check()
  await dialog.getByRole('button', { name: 'Continue on top of theirs' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(field(page, 'SMTP user')).toHaveValue('mira')
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toHaveCount(0)
})

test('a third value stays when another save arrives while it is typed, and must be selected again', async ({
  system,
  editing,
  crmScope,
}) => {
  const saveAsMira = async (value: string) =>
    system.ended((await system.configure(crmScope, mail, 'smtpUser', wrapData(value), mira)).operationId)
  const page = await editing()
  await field(page, 'SMTP user').fill('olivia')
  await saveAsMira('mira')
  await expect(page.getByText('1 of your changes overlaps with theirs')).toBeVisible()
  const conflict = (await review(page)).getByRole('group', { name: 'SMTP user' })
  const third = conflict.getByRole('radio', { name: 'Another value' })
  await third.check()
  await conflict.getByRole('textbox').fill('bot')

  await saveAsMira('somebody')
  await expect(conflict).toContainText('Their value changed after you entered this.')
  await expect(third).not.toBeChecked()
  await page.keyboard.type('h')
  await expect(conflict.getByRole('textbox')).toHaveValue('both')
  const continueButton = page.getByRole('button', { name: 'Continue on top of theirs' })
  await expect(continueButton).toBeDisabled()
  await third.check()
  await continueButton.click()
  await expect(page.getByLabel('Changes of CRM mail')).toContainText(/Before: somebody.*After: both/)
})

test('a focused JSON editor shows another person’s save, and the next edit is based on it', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing({ resource: CORE })
  await page.getByRole('group', { name: 'Retention' }).getByRole('button', { name: 'Edit JSON' }).click()
  const editor = page.getByRole('textbox', { name: 'Retention as JSON' })
  await editor.click()
  await expect(editor).toContainText('"contactsDays": 730')

  const theirs = { contactsDays: 365, dealsDays: 1825 }
  const { operationId } = await system.configure(crmScope, core, 'retention', wrapData(theirs), mira)
  await expect(editor).toBeFocused()
  await expect(editor).toContainText('"contactsDays": 365')
  await system.ended(operationId)

  // the keys have the order of the schema
  await page.keyboard.press('Control+End')
  for (const key of ['ArrowUp', 'ArrowUp', 'End', 'ArrowLeft']) await page.keyboard.press(key)
  await page.keyboard.type('0')
  const changes = (await review(page)).getByLabel('Changes of CRM core')
  await expect(changes).toContainText(/Before.*365.*After.*3650/s)
  await expect(changes).not.toContainText('730')
})

test('typing back through the base value keeps the edit and its conflict', async ({
  system,
  editing,
  crmScope,
}) => {
  const saveAsMira = async (value: number) =>
    system.ended((await system.configure(crmScope, mail, 'smtpPort', wrapData(value), mira)).operationId)
  await saveAsMira(443)
  const page = await editing()
  const port = field(page, 'SMTP port')
  await port.click()
  await page.keyboard.press('End')
  await page.keyboard.type('1')
  await saveAsMira(80)
  await expect(page.getByText('Mira Castellan saved since then:')).toBeVisible()
  await page.keyboard.press('Backspace')
  await expect(port).toHaveValue('443')
  await page.keyboard.type('2')
  await expect(port).toHaveValue('4432')
  await expect(page.getByText('1 of your changes overlaps with theirs')).toBeVisible()

  // likewise when the edit was typed back to its base before they saved
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(port).toHaveValue('80')
  await expect(page.getByRole('region', { name: 'Locked by an operation' })).toHaveCount(0)
  await port.click()
  await page.keyboard.press('End')
  await page.keyboard.type('1')
  await expect(port).toHaveValue('801')
  await page.keyboard.press('Backspace')
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toHaveCount(0)
  await saveAsMira(25)
  await expect(page.getByText('Saved since then:')).toBeVisible()
  await expect(port).toHaveValue('80')
  await page.keyboard.type('2')
  const conflict = (await review(page)).getByRole('group', { name: 'SMTP port' })
  await expect(conflict).toContainText('You started from80')
  await expect(conflict).toContainText('Keep mine802')
})

test('typing through another person’s saved value keeps the conflict', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  const port = field(page, 'SMTP port')
  await port.fill('8')
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(80), mira)
  await system.ended(operationId)
  await expect(page.getByText('1 of your changes overlaps with theirs')).toBeVisible()
  await page.keyboard.type('0')
  await expect(page.getByText('Your change does not overlap with theirs')).toBeVisible()
  await page.keyboard.type('0')
  await expect(port).toHaveValue('800')
  await expect(page.getByText('1 of your changes overlaps with theirs')).toBeVisible()
  await page.keyboard.press('Backspace')
  await expect(page.getByText('Your change does not overlap with theirs')).toBeVisible()

  // the edit ends when its field loses the focus; the notes below it disappear after the mouse press that moved the focus
  const history = page.getByRole('button', { name: 'Value history of SMTP user' })
  await history.hover()
  await page.mouse.down()
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  await page.mouse.up()
  await expect(page.getByRole('dialog', { name: 'SMTP user' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('1 of your changes is already saved in snapshot')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toHaveCount(0)
})
