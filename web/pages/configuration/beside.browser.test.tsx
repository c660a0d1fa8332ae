import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { EditorView } from 'codemirror'
import { renderConsole } from '../../testing/render.tsx'
import { MAIL, serveScope } from '../../testing/served-scope.ts'

const field = (name: string) => page.getByRole('textbox', { name })
const toggle = page.getByRole('button', { name: 'JSON beside the form' })
const text = page.getByRole('textbox', { name: 'Configuration of this scope as JSON' })
const bar = page.getByRole('region', { name: 'Unsaved changes' })

async function renderBeside() {
  const scope = await serveScope()
  const screen = await renderConsole(`${scope.address(MAIL)}&beside=document`)
  await expect.element(text).toMatchTextContent(/"smtpPort"/)
  return { scope, screen }
}

const editor = () => text.element() as HTMLElement

/** The text of the lines that the document marks. */
const marked = () => [...editor().querySelectorAll('.cm-pointed')].map((line) => line.textContent).join('\n')

/** Types over the whole document. */
async function replaceText(change: (document: Record<string, Record<string, unknown>>) => unknown) {
  const shown = [...editor().querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')
  const next = change(JSON.parse(shown) as Record<string, Record<string, unknown>>)
  await text.fill(typeof next === 'string' ? next : JSON.stringify(next, null, 2))
}

test('a button opens the document beside the form; the address and the browser remember it', async () => {
  const scope = await serveScope()
  const screen = await renderConsole(scope.address(MAIL))
  await expect.element(toggle).toHaveAttribute('aria-pressed', 'false')
  toggle.element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(text).toBeVisible()
  await expect.element(toggle).toHaveFocus()
  expect(screen.address()).toContain('beside=document')
  expect(JSON.stringify({ ...localStorage })).toContain('document-beside-form')
  await page.getByRole('button', { name: 'Close JSON' }).click()
  await expect.element(text).not.toBeInTheDocument()
  await expect.element(toggle).toHaveFocus()
  expect(screen.address()).toContain('beside=nothing')
  expect(JSON.stringify({ ...localStorage })).not.toContain('document-beside-form')
})

test('a narrow window has only the tabs', async () => {
  await page.viewport(1279, 800)
  const scope = await serveScope()
  await renderConsole(`${scope.address(MAIL)}&beside=document`)
  await expect.element(field('SMTP port')).toBeVisible()
  expect(toggle.query()).toBeNull()
  expect(text.query()).toBeNull()
})

test('what is typed in the form appears in the document, which marks it and leaves the focus', async () => {
  await renderBeside()
  await field('SMTP port').click()
  await expect.poll(marked).toMatch(/587/)
  await field('SMTP port').fill('2525')
  await expect.poll(marked).toMatch(/2525/)
  await expect.element(field('SMTP port')).toHaveFocus()
  await field('SMTP user').click()
  await expect.poll(marked).toMatch(/"crm"/)
  expect(marked()).not.toMatch(/2525/)
})

test('a valid edit of the document appears in the form', async () => {
  await renderBeside()
  await replaceText((document) => ({
    ...document,
    [MAIL]: { ...document[MAIL], smtpPort: { '@type': 'Data', value: 465 } },
  }))
  await expect.element(field('SMTP port')).toHaveValue('465')
  await expect.element(bar).toMatchTextContent(/1 change/)
  await field('SMTP port').fill('25')
  await expect.poll(() => editor().textContent).toMatch(/"smtpPort": 25[^\d]/)
})

/** Types over the whole document in one task, so that the page has not read it when this returns. */
function typeUnread(properties: Record<string, unknown>) {
  const view = EditorView.findFromDOM(editor())!
  const document = JSON.parse(view.state.doc.toString()) as Record<string, Record<string, unknown>>
  const insert = JSON.stringify({ ...document, [MAIL]: { ...document[MAIL], ...properties } }, null, 2)
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert }, userEvent: 'input.paste' })
}

test('an edit that is made in the form before the document has been read is newer', async () => {
  await renderBeside()
  await field('SMTP port').fill('2525')
  await expect.element(text).toMatchTextContent(/2525/)
  const reset = page.getByRole('button', { name: 'Reset SMTP port' }).element() as HTMLElement
  typeUnread({ smtpPort: 465, smtpUser: 'typed' })
  reset.click()
  await expect.element(field('SMTP user')).toHaveValue('typed')
  await expect.element(text).toMatchTextContent(/"smtpPort": 587[^\d]/)
  await expect.element(field('SMTP port')).toHaveValue('587')
  await expect.element(bar).toMatchTextContent(/1 change/)
  // each is undone by itself, in the reverse order
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.element(field('SMTP port')).toHaveValue('465')
  await expect.element(field('SMTP user')).toHaveValue('typed')
})

test('undo takes back what was typed in the document last, read or not', async () => {
  await renderBeside()
  await field('SMTP port').fill('2525')
  await expect.element(text).toMatchTextContent(/2525/)
  toggle.element().focus()
  typeUnread({ smtpPort: 2525, smtpUser: 'typed' })
  dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, cancelable: true }))
  await expect.element(field('SMTP user')).toHaveFocus()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await expect.element(text).not.toMatchTextContent(/typed/)
  await expect.element(field('SMTP user')).toHaveValue('crm')
})

test('a review has what was typed in the document last', async () => {
  await renderBeside()
  typeUnread({ smtpUser: 'typed' })
  dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true, cancelable: true }))
  await expect.element(page.getByRole('dialog')).toMatchTextContent(/typed/)
})

test('what is taken back in the document right after it was read is no edit', async () => {
  await renderBeside()
  await field('SMTP user').fill('form')
  await expect.element(text).toMatchTextContent(/"form"/)
  const reset = page.getByRole('button', { name: 'Reset SMTP user' }).element() as HTMLElement
  typeUnread({ smtpPort: 465 })
  // the page reads the document, and shows it only after the next text
  reset.click()
  typeUnread({ smtpPort: 587 })
  await expect.element(bar).not.toBeInTheDocument()
  await expect.element(text).toMatchTextContent(/"crm"/)
  await expect.element(field('SMTP port')).toHaveValue('587')
})

test('an error in the document names its line and keeps all text, also while the form is edited', async () => {
  await renderBeside()
  await replaceText((document) => ({ ...document, 'no/such/MODULE/resource': {} }))
  const line = page.getByRole('button', { name: /^Line \d+$/ })
  await expect.element(line).toBeVisible()
  await field('SMTP port').fill('2525')
  await expect.element(bar).toMatchTextContent(/1 change/)
  await expect.element(text).toMatchTextContent(/no\/such\/MODULE\/resource/)
  await line.click()
  await expect.poll(() => editor().querySelector('.cm-activeLine')?.textContent).toMatch(/no\/such/)

  await replaceText((document) => {
    const { 'no/such/MODULE/resource': _, ...others } = document
    return others
  })
  await expect.element(line).not.toBeInTheDocument()
  await expect.poll(() => editor().textContent).toMatch(/2525/)
  await expect.element(field('SMTP port')).toHaveValue('2525')
})

test('invalid JSON names its line and changes nothing', async () => {
  await renderBeside()
  await field('SMTP port').fill('2525')
  await expect.poll(() => editor().textContent).toMatch(/2525/)
  await text.fill('{\n  "half')
  await expect.element(page.getByRole('button', { name: 'Line 2' })).toBeVisible()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await page.getByRole('button', { name: 'Regenerate' }).click()
  await expect.element(text).toMatchTextContent(/2525/)
})

test('a number that would change and a repeated key name their line and change nothing', async () => {
  await renderBeside()
  await replaceText((document) => ({
    ...document,
    [MAIL]: { ...document[MAIL], smtpPort: { '@type': 'Data', value: 465 } },
  }))
  await expect.element(bar).toMatchTextContent(/1 change/)
  const shown = () => [...editor().querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')
  const valid = shown()
  await text.fill(valid.replace('465', '9007199254740993'))
  await expect.element(page.getByText(/This number cannot be kept exactly/)).toBeVisible()
  await expect.element(page.getByRole('button', { name: /^Line \d+$/ })).toBeVisible()
  await text.fill(valid.replace('"smtpPort"', '"smtpPort": {"@type": "Data", "value": 1}, "smtpPort"'))
  await expect.element(page.getByText(/The same key is in this object twice/)).toBeVisible()
  await expect.element(field('SMTP port')).toHaveValue('465')
  await expect.element(bar).toMatchTextContent(/1 change/)
})

test('discarding all edits discards text that is not valid, too', async () => {
  await renderBeside()
  await field('SMTP port').fill('2525')
  await expect.element(text).toMatchTextContent(/2525/)
  await text.fill('{\n  "half')
  const broken = page.getByRole('button', { name: 'Line 2' })
  await expect.element(broken).toBeVisible()
  await bar.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await expect.element(text).not.toMatchTextContent(/2525/)
  await expect.element(broken).not.toBeInTheDocument()
  await expect.element(text).toMatchTextContent(/587/)
})
