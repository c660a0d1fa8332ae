import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { refusal } from '../../testing/api.ts'
import { renderConsole } from '../../testing/render.tsx'
import { CONFIGURATION, CORE, MAIL, serveScope } from '../../testing/served-scope.ts'
import { SNAPSHOT } from './draft/endpoints.ts'

const field = (name: string) => page.getByRole('textbox', { name })
const outline = page.getByRole('navigation', { name: 'Resources' })
const dialog = page.getByRole('dialog')

/** Edits the seats and the port; then a colleague takes away the resource of the seats, or only the port. */
async function editThenLose(what: 'resource' | 'property' | 'installation', isKnown = true) {
  const scope = await serveScope({
    [SNAPSHOT]: () =>
      isKnown ? before : refusal({ status: 404, code: 'NOT_FOUND', message: 'There is no such snapshot.' }),
  })
  const before = scope.configuration()
  await renderConsole(scope.address(MAIL))
  await field('SMTP port').fill('2525')
  await outline.getByRole('link', { name: /CRM core/ }).click()
  await field('Seats').fill('7')
  scope.api.answer({
    [CONFIGURATION]: () => {
      const { resources, ...rest } = scope.configuration()
      const { [CORE]: core, [MAIL]: mail } = resources
      const { smtpPort: _, ...definitions } = mail!.definitions
      const { smtpPort: __, ...properties } = mail!.properties
      if (what === 'installation') return { ...rest, resources: {} }
      return what === 'resource'
        ? { ...rest, resources: { [MAIL]: mail! } }
        : { ...rest, resources: { [CORE]: core!, [MAIL]: { ...mail!, definitions, properties } } }
    },
  })
  await scope.saveAsColleague({})
  return scope
}

test('a resource that is gone with edits of mine stays, struck through, until I have discarded them', async () => {
  await editThenLose('resource')
  const link = outline.getByRole('link', { name: /CRM core \(no longer there\)/ })
  await expect.element(link).toMatchTextContent(/1 unsaved change/)
  await expect.element(link.getByRole('deletion')).toMatchTextContent('CRM core')
  await expect.element(page.getByRole('heading', { name: 'CRM core' })).toBeVisible()
  await expect.element(page.getByText(/This resource is no longer installed here/)).toBeVisible()
  const seats = page.getByRole('group', { name: 'Seats' })
  await expect.element(seats).toMatchTextContent(/7/)
  await seats.getByRole('button', { name: 'Discard my change Seats' }).click()
  await expect.element(link).not.toBeInTheDocument()
  await expect.element(field('SMTP port')).toHaveValue('2525')
})

test('edits of the only installation of a scope stay when it is detached', async () => {
  await editThenLose('installation')
  await expect.element(outline.getByRole('link', { name: /CRM core \(detached\)/ })).toBeVisible()
  await outline.getByRole('link', { name: /CRM mail \(detached\)/ }).click()
  await page.getByRole('button', { name: 'Discard my change SMTP port' }).click()
  await page.getByRole('button', { name: 'Discard my change Seats' }).click()
  await expect.element(page.getByText('Nothing is installed in this scope')).toBeVisible()
})

test('the dialog names what is gone by its titles, each once, and says of it what is true', async () => {
  await editThenLose('resource')
  await page.getByRole('button', { name: 'Compare and choose' }).click()
  await expect
    .element(dialog.getByRole('heading', { name: '1 of your changes can no longer be saved' }))
    .toBeVisible()
  expect(dialog.element().textContent.match(/Seats/g)).toHaveLength(1)
  expect(dialog.element().textContent).not.toMatch(/seats|both of you|since you edited/)
  await dialog.getByRole('group', { name: 'Seats' }).getByRole('radio').click()
  await dialog.getByRole('button', { name: 'Continue on top of theirs' }).click()
  await expect.element(dialog.getByRole('heading', { name: 'Review changes' })).toBeVisible()
})

test('edits that can only be discarded are discarded by one press, and nothing offers to keep them', async () => {
  await editThenLose('installation')
  await page.getByRole('button', { name: 'Compare and choose' }).click()
  await expect.element(dialog.getByText('0 of 2 decided')).toBeVisible()
  expect(dialog.getByRole('button', { name: /mine|theirs$/ }).elements()).toHaveLength(1)
  expect(dialog.element().textContent).not.toMatch(/Keep mine|All mine/)
  await expect.element(dialog.getByText(/Your change:/).first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Discard all' }).click()
  await expect.element(dialog.getByText('2 of 2 decided')).toBeVisible()
})

test('a property that an upgrade removes stays in its form, with its title', async () => {
  await editThenLose('property')
  await outline.getByRole('link', { name: /CRM mail/ }).click()
  await expect.element(page.getByText(/The installed version no longer has this property/)).toBeVisible()
  const port = page.getByRole('group', { name: 'SMTP port' })
  await expect.element(port).toMatchTextContent(/2525|2,525/)
  await port.getByRole('button', { name: 'Discard my change SMTP port' }).click()
  await expect.element(port).not.toBeInTheDocument()
  await expect.element(page.getByText(/no longer has this property/)).not.toBeInTheDocument()
})

test('where its snapshot cannot be read, what is gone stays under its keys', async () => {
  await editThenLose('resource', false)
  await expect.element(outline.getByRole('link', { name: /crm-core \(detached\)/ })).toBeVisible()
  await expect.element(page.getByRole('group', { name: 'seats' })).toMatchTextContent(/7/)
})
