import { expect, test } from 'vitest'
import { page, userEvent, type Locator } from 'vitest/browser'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../testing/render.tsx'
import { CONFIGURATION, MAIL, serveScope } from '../../testing/served-scope.ts'

// After each button that is removed by its own press, the keyboard continues at the field or at the form.

const field = (name: string) => page.getByRole('textbox', { name })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const heading = page.getByRole('heading', { name: 'CRM mail' })

async function press(target: Locator) {
  await expect.element(target).toBeVisible()
  target.element().focus()
  await expect.element(target).toHaveFocus()
  await userEvent.keyboard('{Enter}')
}

/** The port has a default, and there is a password and a value without a definition. */
async function renderEditor(search = '') {
  const scope = await serveScope()
  const mail = scope.configuration().resources[MAIL]!
  const port = mail.definitions['smtpPort']!
  const resource = {
    ...mail,
    properties: { ...mail.properties, aliases: wrapData(['a', 'b']), leftOver: wrapData('old') },
    definitions: {
      ...mail.definitions,
      smtpPort: { ...port, default: 25 },
      smtpPassword: {
        kind: 'DATA' as const,
        isSensitive: true,
        schema: { type: 'string', title: 'SMTP password' },
      },
      aliases: {
        kind: 'DATA' as const,
        schema: { type: 'array', items: { type: 'string' }, title: 'Aliases' },
      },
    },
  }
  const rest = scope.configuration()
  scope.api.answer({
    [CONFIGURATION]: () => ({ ...rest, resources: { ...rest.resources, [MAIL]: resource } }),
  })
  await renderConsole(scope.address(MAIL) + search)
  return scope
}

test('Reset, Use default and Remove value leave the focus at the field, and are named by it', async () => {
  await renderEditor()
  await press(button('Use default SMTP port'))
  await expect.element(field('SMTP port')).toHaveValue('25')
  await expect.element(field('SMTP port')).toHaveFocus()
  await press(button('Reset SMTP port'))
  await expect.element(field('SMTP port')).toHaveValue('587')
  await expect.element(field('SMTP port')).toHaveFocus()
  await press(button('Remove value SMTP host'))
  await expect.element(field('SMTP host')).toHaveValue('')
  await expect.element(field('SMTP host')).toHaveFocus()
})

test('buttons inside controls leave the focus in their property, and are named by it', async () => {
  await renderEditor()
  await press(button('Set value SMTP password'))
  await expect.element(page.getByRole('textbox', { name: 'SMTP password' })).toHaveFocus()
  await press(button('Keep current value SMTP password'))
  await expect.element(button('Set value SMTP password')).toHaveFocus()
  await press(button('Remove item 2 Aliases'))
  await press(button('Reset Aliases'))
  await expect.element(field('Item 1')).toHaveFocus()
  await press(button('Remove value leftOver'))
  await expect.element(button('Reset leftOver')).toHaveFocus()
})

test('what ends the shown list of changes leads to the heading of the form', async () => {
  await renderEditor('&show=changed')
  await press(button('Show all'))
  await expect.element(heading).toHaveFocus()
  await field('SMTP host').fill('mine.example')
  await page.getByText('Changed 1').click()
  await press(button('Reset SMTP host'))
  await expect.element(field('SMTP host')).not.toBeInTheDocument()
  await expect.poll(() => document.activeElement).not.toBe(document.body)
})

test('Discard leads to the heading of the form', async () => {
  await renderEditor()
  await field('SMTP host').fill('mine.example')
  await press(page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Discard' }))
  await press(page.getByRole('dialog').getByRole('button', { name: 'Discard' }))
  await expect.element(field('SMTP host')).toHaveValue('smtp.example.com')
  await expect.element(heading).toHaveFocus()
})

test('each property is a group with its title as name', async () => {
  await renderEditor()
  const row = page.getByRole('group', { name: 'SMTP port', exact: true })
  await expect.element(row.getByRole('textbox', { name: 'SMTP port' })).toBeVisible()
  await expect.element(page.getByRole('group', { name: 'leftOver', exact: true })).toBeVisible()
})
