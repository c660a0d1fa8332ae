import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { lostAnswer } from '../../../testing/api.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { CORE, MAIL, SAVE, serveScope } from '../../../testing/served-scope.ts'

const field = (name: string) => page.getByRole('textbox', { name })
const bar = page.getByRole('region', { name: 'Unsaved changes' })
const dialog = page.getByRole('dialog')
const saveButton = dialog.getByRole('button', { name: /^Save and start/ })
const goOn = dialog.getByRole('button', { name: 'Continue on top of theirs' })

/** The editor, with these properties of CRM mail edited. */
async function edit(values: Record<string, string>) {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  for (const [name, value] of Object.entries(values)) {
    await field(name).fill(value)
    await userEvent.tab()
  }
  return scope
}
const openReview = () => bar.getByRole('button', { name: 'Review' }).click()

test('a save of another resource moves the edit to the new snapshot without changing it', async () => {
  const scope = await edit({ 'SMTP port': '2525' })
  await scope.saveAsColleague({ [CORE]: { seats: 25 } })
  await expect
    .element(page.getByText('Moved to snapshot 2 by Mira Castellan. Your changes are not affected.'))
    .toBeVisible()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await openReview()
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 3 applied')).toBeVisible()
  expect(scope.saveRequests().map(({ body }) => body)).toEqual([
    {
      planToken: 'plan',
      snapshotVersion: 2,
      changes: { [MAIL]: { smtpPort: { '@type': 'Data', value: 2525 } } },
    },
  ])
})

test('without an edit, the new values are shown, and who saved them', async () => {
  const scope = await edit({})
  await expect.element(field('SMTP port')).toHaveValue('587')
  await scope.saveAsColleague({ [MAIL]: { smtpPort: 465 } })
  await expect.element(field('SMTP port')).toHaveValue('465')
  await expect.element(page.getByText('Now showing snapshot 2 by Mira Castellan.')).toBeVisible()
})

test('a save in the edited resource waits for the person, and neither side loses anything', async () => {
  const scope = await edit({ 'SMTP port': '2525' })
  await scope.saveAsColleague({ [MAIL]: { smtpUser: 'mira' } })
  await page.getByRole('button', { name: 'Review and keep mine' }).click()
  await expect.element(dialog.getByText('1 of your changes does not overlap and is kept as is')).toBeVisible()
  await goOn.click()
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 3 applied')).toBeVisible()
  expect(scope.values()[MAIL]).toMatchObject({ smtpPort: 2525, smtpUser: 'mira' })
})

test('where both changed a property, saving needs a choice for each', async () => {
  const scope = await edit({ 'SMTP port': '2525', 'SMTP user': 'olivia', 'SMTP host': 'olivia.example' })
  await scope.saveAsColleague({ [MAIL]: { smtpPort: 465, smtpUser: 'mira', smtpHost: 'mira.example' } })
  await page.getByRole('button', { name: 'Compare and choose' }).click()
  await expect.element(goOn).toHaveAccessibleDescription('Decide on 3 more values.')
  const property = (name: string) => dialog.getByRole('group', { name })
  await expect.element(property('SMTP port')).toMatchTextContent(/You started from587/)
  const marks = property('SMTP host').getByRole('mark')
  await expect.element(marks).toHaveLength(2)
  expect(marks.elements().map(({ textContent }) => textContent)).toEqual(['mira', 'olivia'])
  await property('SMTP port')
    .getByRole('radio', { name: /Keep mine/ })
    .click()
  await property('SMTP user')
    .getByRole('radio', { name: /Use theirs/ })
    .click()
  await expect.element(goOn).toHaveAccessibleDescription('Decide on 1 more value.')
  await property('SMTP host')
    .getByRole('radio', { name: /Another value/ })
    .click()
  await property('SMTP host').getByRole('textbox').fill('both.example')
  await goOn.click()
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 3 applied')).toBeVisible()
  expect(scope.values()[MAIL]).toEqual({ smtpPort: 2525, smtpUser: 'mira', smtpHost: 'both.example' })
})

test('an edit that a colleague has already saved is removed', async () => {
  const scope = await edit({ 'SMTP port': '2525' })
  // a field does not change while it has the focus
  await page.getByRole('heading', { name: 'CRM mail' }).click()
  await scope.saveAsColleague({ [MAIL]: { smtpPort: 2525 } })
  await expect.element(page.getByText('1 of your changes is already saved in snapshot 2.')).toBeVisible()
  await expect.element(bar).not.toBeInTheDocument()
})

test('a save that arrives first returns the review to the conflict, and the choice is applied', async () => {
  const scope = await edit({ 'SMTP port': '2525' })
  await openReview()
  await expect.element(saveButton).toBeEnabled()
  await scope.saveAsColleague({ [MAIL]: { smtpPort: 465 } })
  await dialog.getByRole('radio', { name: /Use theirs/ }).click()
  await goOn.click()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(field('SMTP port')).toHaveValue('465')
  await expect.element(bar).not.toBeInTheDocument()
  expect(scope.saveRequests()).toEqual([])
})

test('a refused save reports that nothing was saved, and leads to the choice', async () => {
  const scope = await edit({ 'SMTP port': '2525' })
  await openReview()
  await expect.element(saveButton).toBeEnabled()
  // the colleague is first, and the event has not arrived yet
  scope.api.answer({
    [SAVE]: async (request) => {
      await scope.saveAsColleague({ [MAIL]: { smtpPort: 465 } })
      scope.api.answer({ [SAVE]: scope.save })
      return scope.save(request)
    },
  })
  await saveButton.click()
  await expect
    .element(dialog.getByText(/^Nothing was saved, and none of your changes are lost/))
    .toBeVisible()
  await dialog.getByRole('radio', { name: /Keep mine/ }).click()
  await goOn.click()
  await saveButton.click()
  await expect.element(page.getByText('Snapshot 3 applied')).toBeVisible()
  expect(scope.values()[MAIL]).toMatchObject({ smtpPort: 2525 })
  expect(scope.saveRequests().map(({ body }) => body)).toMatchObject([
    { snapshotVersion: 1 },
    { snapshotVersion: 2 },
  ])
})

test('the snapshot of a save whose response is pending is not a conflict', async () => {
  const scope = await edit({ 'SMTP port': '2525' })
  scope.api.answer({
    [SAVE]: (request) => {
      scope.save(request)
      return lostAnswer
    },
  })
  await openReview()
  await saveButton.click()
  await expect.element(dialog.getByText('The response to your save was lost')).toBeVisible()
  await scope.saveAsColleague({ [CORE]: { seats: 25 } })
  await expect.element(page.getByText(/^Snapshot 3, saved by Mira Castellan/)).toBeInTheDocument()
  await expect.element(dialog.getByText('The response to your save was lost')).toBeVisible()
  expect(page.getByText('Someone else saved first').query()).toBeNull()

  scope.api.answer({ [SAVE]: scope.save })
  await dialog.getByRole('button', { name: 'Check again' }).click()
  await expect.element(page.getByText('Snapshot 2 applied')).toBeVisible()
  await expect.element(bar).not.toBeInTheDocument()
})
