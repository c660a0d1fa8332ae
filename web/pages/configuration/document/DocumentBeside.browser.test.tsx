import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderConsole } from '../../../testing/render.tsx'
import { CORE, MAIL, serveScope } from '../../../testing/served-scope.ts'

const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const bar = page.getByRole('region', { name: 'Unsaved changes' })
const beside = page.getByRole('complementary', { name: 'CRM mail as JSON' })

const root = () => {
  const found = beside.element().querySelector<HTMLElement>('div.overflow-auto')?.shadowRoot
  if (!found) throw new Error('There is no editor')
  return found
}
const lines = () => [...root().querySelectorAll('.cm-line')].map(({ textContent }) => textContent)
const text = () => lines().join('\n')
const marked = () => [...root().querySelectorAll('.cm-marked')].map(({ textContent }) => textContent).join('')

/** Replaces the only occurrence of a text in the document, as typing does. */
async function replace(before: string, after: string): Promise<void> {
  root().querySelector<HTMLElement>('.cm-content')?.focus()
  // the editor restores its cursor when it gets the focus
  await new Promise(requestAnimationFrame)
  const line = [...root().querySelectorAll('.cm-line')].find(({ textContent }) =>
    textContent.includes(before),
  )
  if (line === undefined) throw new Error(`The document has no ${before}`)
  const start = line.textContent.indexOf(before)
  const range = document.createRange()
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(), passed = 0; node !== null; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0
    const [from, to] = [start - passed, start + before.length - passed]
    if (from >= 0 && from <= length) range.setStart(node, from)
    if (to > 0 && to <= length) range.setEnd(node, to)
    passed += length
  }
  const selection = getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
  await userEvent.keyboard(after)
}

async function openBeside() {
  await page.viewport(1440, 900)
  const scope = await serveScope()
  const screen = await renderConsole(scope.address(MAIL))
  await page.getByRole('button', { name: 'Show JSON' }).click()
  await expect.poll(text).toContain('"smtpPort"')
  return { scope, screen }
}

beforeEach(() => localStorage.removeItem('bundle-console.json-beside'))

test('what is typed in the form appears in the JSON beside it, and its lines are marked', async () => {
  await openBeside()
  await field('SMTP port').fill('2525')
  await expect.poll(text).toContain('2525')
  await expect.poll(marked).toContain('"smtpPort"')
  expect(marked()).not.toContain('"smtpHost"')
  await expect.element(field('SMTP port')).toHaveFocus()
  await field('SMTP host').click()
  await expect.poll(marked).toContain('"smtpHost"')
})

test('what is typed in the JSON appears in the form', async () => {
  await openBeside()
  await replace('587', '465')
  await expect.element(field('SMTP port')).toHaveValue('465')
  await expect.element(bar).toMatchTextContent(/1 change/)
  // the form may go on from there
  await field('SMTP port').fill('2525')
  await expect.poll(text).toContain('2525')
})

test('an invalid value is shown by both, and correcting it in the form corrects the JSON', async () => {
  await openBeside()
  await replace('587', '70000')
  await expect.element(field('SMTP port')).toHaveAccessibleDescription(/at most 65,535/)
  await field('SMTP port').fill('465')
  await expect.poll(text).not.toContain('70000')
})

test('text that is not JSON stays while the form is used, until it is fixed', async () => {
  await openBeside()
  await replace('587', '58}')
  const broken = beside.getByText(/^Invalid JSON/)
  await expect.element(broken).toBeVisible()
  await field('SMTP host').fill('mail.example.org')
  expect(text()).toContain('58}')
  await replace('58}', '587')
  await expect.element(broken).not.toBeInTheDocument()
  await expect.poll(text).toContain('mail.example.org')
})

test('the JSON follows the form to another resource, and the choice is kept', async () => {
  const { screen } = await openBeside()
  await page
    .getByRole('navigation', { name: 'Resources' })
    .getByRole('link', { name: /CRM core/ })
    .click()
  const core = page.getByRole('complementary', { name: 'CRM core as JSON' })
  await expect.element(core).toBeVisible()
  expect(screen.address()).toContain(encodeURIComponent(CORE))
  expect(localStorage.getItem('bundle-console.json-beside')).toBe('on')
  await page.viewport(1024, 800)
  await expect.element(core).not.toBeInTheDocument()
  await page.viewport(1440, 900)
  await page.getByRole('button', { name: 'Hide JSON' }).click()
  await expect.element(core).not.toBeInTheDocument()
})
