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
  const leftOut = dialog.getByRole('region', { name: 'Left out' })
  await expect.element(leftOut).toMatchTextContent(/1 unsaved change was replaced\.CRM mail · SMTP port/)
  await expect.element(dialog.getByText('Replaces your own change.')).toBeVisible()
  await dialog.getByRole('checkbox', { name: 'Take this value: SMTP port · CRM mail' }).click()
  await expect.element(dialog.getByText('Your own change is kept.')).toBeVisible()
  await expect.element(dialog.getByLabelText('Changes of CRM mail')).toMatchTextContent(/After: 4,?000/)
})

test('a copy that is cancelled while it loads changes nothing', async () => {
  const { load } = await copyFromAnotherScope()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  load()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(port).toHaveValue('4000')
  await expect.element(page.getByText(/was replaced/)).not.toBeInTheDocument()
})

/** Imports a file into a new scope, from the page as it is or was left. */
async function importFile(name: string, content: BlobPart) {
  const input = page.getByLabelText('Import file').element() as HTMLInputElement
  const files = new DataTransfer()
  files.items.add(new File([content], name))
  input.files = files.files
  input.dispatchEvent(new Event('change', { bubbles: true }))
}

const fileWith = (port: string) =>
  `{"format": "bundle-console/configuration", "version": 1, "resources": {"${MAIL}": {"smtpPort":\n{"@type": "Data", "value": ${port}}}}}`

test('a file whose values would change is refused with line, reason and what to do', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  await port.fill('4000')
  for (const [name, content, reason] of [
    ['a.json', fileWith('9007199254740993'), /Line 2, column 28: This number cannot be kept exactly/],
    ['b.json', fileWith('{"a": 1, "a": 2}'), /Line 2, column 37: The same key is in this object twice/],
    ['c.yaml', fileWith('!!binary aGVsbG8='), /Line 2, column 28: This tag is not supported/],
    ['d.yml', fileWith('18446744073709551616'), /Line 2, column 28: This number cannot be kept exactly/],
    ['e.yaml', fileWith('*x'), /Line 2, column 28: References such as \*name are not supported/],
    ['f.yaml', `${fileWith('1')}\n---\na: 1`, /Line 3, column 1: A second document begins here/],
    ['g.json', new Uint8Array([0xff, 0xfe, 0x7b, 0]), /The file is UTF-16\. Save it as UTF-8/],
    ['h.json', new Uint8Array([0x7b, 0x22, 0xeb, 0x22]), /not UTF-8 text \(line 1, column 3\)/],
    ['i.json', new Uint8Array(5 * 1024 * 1024 + 1), /The file is larger than 5 MiB/],
    ['j.json', '{}', /This is not a configuration file/],
  ] as const) {
    await importFile(name, content)
    const refusal = page.getByRole('dialog', { name: `${name} was not imported` })
    await expect.element(refusal.getByText(reason)).toBeVisible()
    await expect.element(refusal.getByText(/Your changes are kept/)).toBeVisible()
  }
  // the corrected file, chosen without closing the dialog
  await importFile('a.json', fileWith('2525'))
  await expect.element(dialog.getByLabelText('Changes of CRM mail')).toMatchTextContent(/After: 2,?525/)
  await expect.element(page.getByText('was not imported')).not.toBeInTheDocument()
})

test('closing the dialog of a refused file returns to the page, with its changes', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  await port.fill('4000')
  await importFile('a.yaml', 'a: [')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(port).toHaveValue('4000')
})
