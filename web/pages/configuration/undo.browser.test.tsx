import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../testing/render.tsx'
import { CONFIGURATION, CORE, MAIL, serveScope } from '../../testing/served-scope.ts'

const field = (name: string) => page.getByRole('textbox', { name })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = page.getByRole('dialog')
const undo = () => userEvent.keyboard('{Control>}z{/Control}')
const redo = () => userEvent.keyboard('{Control>}{Shift>}z{/Shift}{/Control}')

async function renderEditor() {
  const scope = await serveScope()
  const { resources, ...rest } = scope.configuration()
  const mail = resources[MAIL]!
  const list = {
    kind: 'DATA' as const,
    schema: { type: 'array', items: { type: 'string' }, title: 'Aliases' },
  }
  const changed = {
    ...mail,
    properties: { ...mail.properties, aliases: wrapData(['a', 'b']) },
    definitions: { ...mail.definitions, aliases: list },
  }
  scope.api.answer({ [CONFIGURATION]: () => ({ ...rest, resources: { ...resources, [MAIL]: changed } }) })
  await renderConsole(scope.address(MAIL))
  await expect.element(field('SMTP port')).toBeVisible()
  return scope
}

test('Reset, Remove value, Remove item and Move are undone and redone by key', async () => {
  await renderEditor()
  await userEvent.fill(field('SMTP port'), '2525')
  await button('Reset SMTP port').click()
  await expect.element(field('SMTP port')).toHaveValue('587')
  await undo()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await expect.element(field('SMTP port')).toHaveFocus()
  await redo()
  await expect.element(field('SMTP port')).toHaveValue('587')
  await undo()

  await button('Remove value SMTP user').click()
  await expect.element(field('SMTP user')).toHaveValue('')
  await undo()
  await expect.element(field('SMTP user')).toHaveValue('crm')

  await button('Move item 2 up Aliases').click()
  await expect.element(field('Item 1')).toHaveValue('b')
  await button('Remove item 1 Aliases').click()
  await expect.element(field('Item 1')).toHaveValue('a')
  await undo()
  await expect.element(field('Item 1')).toHaveValue('b')
  await undo()
  await expect.element(field('Item 1')).toHaveValue('a')
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await userEvent.keyboard('{Control>}y{/Control}')
  await expect.element(field('Item 1')).toHaveValue('b')
})

test('what is typed is undone by its own field first, and then the change before it', async () => {
  await renderEditor()
  await button('Move item 2 up Aliases').click()
  await field('SMTP host').click()
  await userEvent.keyboard('{End}2')
  await expect.element(field('SMTP host')).toHaveValue('smtp.example.com2')
  await undo()
  await expect.element(field('SMTP host')).toHaveValue('smtp.example.com')
  await expect.element(field('Item 1')).toHaveValue('b')
  await undo()
  await expect.element(field('Item 1')).toHaveValue('a')
})

test('Discard is undone by its toast, in every resource, and the toast goes with the next change', async () => {
  await renderEditor()
  await userEvent.fill(field('SMTP port'), '2525')
  await page.getByRole('link', { name: /CRM core/ }).click()
  await userEvent.fill(field('Seats'), '7')
  const discard = async () => {
    await page
      .getByRole('region', { name: 'Unsaved changes' })
      .getByRole('button', { name: 'Discard' })
      .click()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await expect.element(page.getByText('2 changes discarded')).toBeVisible()
  }
  await discard()
  await expect.element(field('Seats')).toHaveValue('5')
  await button('Undo').click()
  await expect.element(page.getByText('2 changes discarded')).not.toBeInTheDocument()
  await expect.element(page.getByRole('region', { name: 'Unsaved changes' })).toMatchTextContent(/2 changes/)
  await discard()
  await page.getByRole('link', { name: /CRM core/ }).click()
  await userEvent.fill(field('Seats'), '8')
  await expect.element(page.getByText('2 changes discarded')).not.toBeInTheDocument()
})

test('theirs taken in a conflict is undone, and the conflict is back', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(CORE))
  await userEvent.fill(field('Seats'), '7')
  await scope.saveAsColleague({ [CORE]: { seats: 9 } })
  await page.getByRole('button', { name: 'Compare and choose' }).click()
  await dialog.getByRole('radio', { name: /Use theirs/ }).click()
  await dialog.getByRole('button', { name: 'Continue on top of theirs' }).click()
  await expect.element(field('Seats')).toHaveValue('9')
  await button('Undo').click()
  await expect.element(field('Seats')).toHaveValue('7')
  await expect.element(page.getByRole('button', { name: 'Compare and choose' })).toBeVisible()
})
