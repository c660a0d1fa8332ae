import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { CONFIGURATION, MAIL, serveScope } from '../../../testing/served-scope.ts'

const port = page.getByRole('textbox', { name: 'SMTP port' })
const dialog = page.getByRole('dialog')

/** The dialog that copies from a scope with port 2525, after "Copy and review"; the scope is not loaded yet. */
async function copyFromAnotherScope() {
  const scope = await serveScope({ 'GET /scopes': () => ({ items: [], nextCursor: null }) })
  await renderConsole(scope.address(MAIL))
  await port.fill('4000')
  await page.getByRole('button', { name: 'File', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy values from another scope' }).click()
  await page.getByRole('combobox', { name: 'Copy from' }).fill('staging/eu/9')
  await dialog.getByRole('option').first().click()
  const own = scope.configuration()
  const mail = own.resources[MAIL]
  if (mail === undefined) throw new Error('The scope has no mail resource')
  const other = {
    ...own,
    scope: { ...own.scope, environmentKey: 'staging', workspaceId: 9 },
    resources: { [MAIL]: { ...mail, properties: { ...mail.properties, smtpPort: wrapData(2525) } } },
  }
  let load: () => void = () => undefined
  const isLoaded = new Promise<void>((resolve) => (load = resolve))
  const requests = scope.api.requests(CONFIGURATION).length
  scope.api.answer({ [CONFIGURATION]: () => isLoaded.then(() => other) })
  await page.getByRole('button', { name: 'Copy and review' }).click()
  await expect.poll(() => scope.api.requests(CONFIGURATION).length).toBe(requests + 1)
  return { load }
}

test('copied values replace unsaved edits, and the edits are named', async () => {
  const { load } = await copyFromAnotherScope()
  load()
  await expect.element(dialog.getByLabelText('Changes of CRM mail')).toMatchTextContent(/After: 2,?525/)
  await expect.element(page.getByText(/^1 unsaved change was replaced: SMTP port\./)).toBeInTheDocument()
})

test('a copy that is cancelled while it loads changes nothing', async () => {
  const { load } = await copyFromAnotherScope()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  load()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(port).toHaveValue('4000')
  await expect.element(page.getByText(/was replaced/)).not.toBeInTheDocument()
})
