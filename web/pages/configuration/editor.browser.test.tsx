import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../testing/render.tsx'
import { CONFIGURATION, CORE, MAIL, serveScope } from '../../testing/served-scope.ts'

const field = (name: string) => page.getByRole('textbox', { name })
const bar = page.getByRole('region', { name: 'Unsaved changes' })
const outline = page.getByRole('navigation', { name: 'Resources' })

async function renderEditor(resource = MAIL) {
  const scope = await serveScope()
  return { scope, screen: await renderConsole(scope.address(resource)) }
}

test('an edit is counted next to its resource and in the bar, and can be reset to the saved value', async () => {
  await renderEditor()
  await field('SMTP port').fill('2525')
  await expect.element(bar).toMatchTextContent(/1 change.*in 1 resource/)
  await expect.element(outline.getByRole('link', { name: /CRM mail/ })).toMatchTextContent(/1 unsaved change/)
  await page.getByRole('button', { name: 'Reset SMTP port' }).click()
  await expect.element(field('SMTP port')).toHaveValue('587')
  await expect.element(bar).not.toBeInTheDocument()
})

test('typing the saved value again removes the edit', async () => {
  await renderEditor()
  await field('SMTP port').fill('2525')
  await expect.element(bar).toBeVisible()
  await field('SMTP port').fill('587')
  await userEvent.tab()
  await expect.element(bar).not.toBeInTheDocument()
})

test('edits of several resources are kept while the person switches between them', async () => {
  const { screen } = await renderEditor()
  await field('SMTP port').fill('2525')
  await outline.getByRole('link', { name: /CRM core/ }).click()
  await field('Seats').fill('25')
  await expect.element(bar).toMatchTextContent(/2 changes.*in 2 resources/)
  expect(screen.address()).toContain(encodeURIComponent(CORE))
  await outline.getByRole('link', { name: /CRM mail/ }).click()
  await expect.element(field('SMTP port')).toHaveValue('2525')
})

test('the draft is stored in the browser as soon as typing pauses', async () => {
  await renderEditor()
  await field('SMTP port').fill('2525')
  await userEvent.tab()
  await expect.poll(() => JSON.stringify({ ...localStorage })).toContain('2525')
  await page.getByRole('button', { name: 'Reset SMTP port' }).click()
  await expect.poll(() => JSON.stringify({ ...localStorage })).not.toContain('2525')
})

test('a key press renders the form once, and announces the draft only if the number of edits changes', async () => {
  const { screen } = await renderEditor()
  let announced = 0
  addEventListener('bundle-console.draft-changed', () => (announced += 1))
  await field('SMTP user').fill('o')
  expect(announced).toBe(1)
  await expect.element(bar).toBeVisible()
  await field('SMTP user').fill('ol')
  expect(announced).toBe(1)
  // nothing else can render the page between the key press and the microtasks after it
  const before = screen.renders()
  field('SMTP user')
    .element()
    .dispatchEvent(new KeyboardEvent('keydown', { key: 'i', bubbles: true }))
  await Promise.resolve()
  expect(screen.renders()).toBe(before)
})

test('a text is a form of its own, in which Enter sends nothing', async () => {
  const { screen } = await renderEditor()
  const address = screen.address()
  await field('SMTP user').fill('ol')
  await userEvent.keyboard('{Enter}')
  // the browser reads all fields of a form at each key press
  const { form } = field('SMTP user').element() as HTMLTextAreaElement
  expect(form?.elements).toHaveLength(1)
  await expect.element(field('SMTP user')).toHaveValue('ol')
  expect(screen.address()).toBe(address)
})

test('an invalid value shows its error at the field, and the bar leads to it from another resource', async () => {
  await renderEditor()
  await field('SMTP port').fill('70000')
  await expect.element(field('SMTP port')).toHaveAccessibleDescription(/at most 65,535/)
  await expect.element(field('SMTP port')).toHaveAttribute('aria-invalid', 'true')
  await outline.getByRole('link', { name: /CRM core/ }).click()
  await expect.element(field('Seats')).toBeVisible()
  await bar.getByRole('button', { name: '1 invalid' }).click()
  await expect.element(field('SMTP port')).toHaveFocus()

  await bar.getByRole('button', { name: 'Review' }).click()
  const save = page.getByRole('dialog').getByRole('button', { name: /^Save/ })
  await expect.element(save).toHaveAccessibleDescription('Fix the invalid values first.')
  await page.getByRole('button', { name: 'Back to form' }).click()
  await field('SMTP port').fill('465')
  await expect.element(field('SMTP port')).not.toHaveAttribute('aria-invalid')
  await expect.element(bar.getByRole('button', { name: '1 invalid' })).not.toBeInTheDocument()
})

test('discarding all edits asks for confirmation first', async () => {
  await renderEditor()
  await field('SMTP port').fill('2525')
  await field('SMTP user').fill('olivia')
  await bar.getByRole('button', { name: 'Discard' }).click()
  const question = page.getByRole('dialog', { name: 'Discard 2 changes?' })
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await bar.getByRole('button', { name: 'Discard' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect.element(bar).not.toBeInTheDocument()
  await expect.element(field('SMTP port')).toHaveValue('587')
  await expect.element(field('SMTP user')).toHaveValue('crm')
})

test('Ctrl+S opens the review while a field has the focus, including what was just typed', async () => {
  await renderEditor()
  await field('SMTP port').fill('2525')
  await userEvent.keyboard('{Control>}s{/Control}')
  const review = page.getByRole('dialog', { name: 'Review changes' })
  await expect
    .element(review.getByLabelText('Changes of CRM mail'))
    .toMatchTextContent(/Before: 587.*After: 2,?525/)
})

test('the form can be filtered to changed properties', async () => {
  await renderEditor()
  await field('SMTP port').fill('2525')
  await page.getByText('Changed 1').click()
  await expect.element(field('SMTP host')).not.toBeInTheDocument()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  expect(outline.getByRole('link', { name: /CRM core/ }).query()).toBeNull()
})

test('when the search is cleared, the resource that was found is in view', async () => {
  const served = await serveScope()
  const { resources, ...rest } = served.configuration()
  const mail = resources[MAIL]!
  const many = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`${MAIL}-${n}`, { ...mail, title: `Mail ${n}` }]),
  )
  served.api.answer({ [CONFIGURATION]: () => ({ ...rest, resources: many }) })
  await renderConsole(served.address(`${MAIL}-0`))
  const search = page.getByRole('searchbox', { name: 'Find a resource or property' })
  await userEvent.fill(search, 'mail 157')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('heading', { name: 'Mail 157' })).toBeVisible()
  const found = outline.getByRole('link', { name: 'Module Mail 157' })
  await userEvent.clear(search)
  await expect.element(outline.getByRole('link', { name: 'Module Mail 158' })).toBeInTheDocument()
  await expect.element(found).toBeInViewport()
  expect(scrollY).toBe(0)
})

test('unsaved changes are shown in the menu, until they are discarded', async () => {
  const scope = await serveScope()
  const screen = await renderConsole(scope.address(MAIL))
  const menu = page.getByRole('complementary').getByRole('navigation', { name: 'Main' })
  const mark = menu.getByText(/scopes? with unsaved changes$/)
  const before = mark.query()?.textContent
  await field('SMTP port').fill('2525')
  await expect.poll(() => mark.query()?.textContent).not.toBe(before)
  await bar.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => mark.query()?.textContent).toBe(before)
  expect(screen.address()).toContain('/configuration')
})

test('a field says whether its value is set here or the default, and the form can be filtered to the former', async () => {
  const scope = await serveScope()
  const { resources, ...rest } = scope.configuration()
  const mail = resources[MAIL]!
  const managedBy = { smtpHost: 'default:1.0.0', smtpPort: 'person', smtpUser: 'apply:gitops' } as const
  scope.api.answer({
    [CONFIGURATION]: () => ({ ...rest, resources: { ...resources, [MAIL]: { ...mail, managedBy } } }),
  })
  const screen = await renderConsole(scope.address(MAIL))
  const row = (name: string) => page.getByRole('group', { name, exact: true })
  await expect.element(row('SMTP host')).toMatchTextContent(/default/)
  await expect.element(row('SMTP port').getByRole('img', { name: 'Set here' })).toBeVisible()
  await page.getByText('Set here 3').click()
  await expect.element(row('SMTP host')).not.toBeInTheDocument()
  await expect.element(row('SMTP user')).toBeVisible()
  await userEvent.fill(page.getByRole('searchbox', { name: 'Find a resource or property' }), 'port')
  await expect.element(row('SMTP user')).not.toBeInTheDocument()
  await expect.element(row('SMTP port')).toBeVisible()
  expect(screen.address()).toContain('show=set')
})

test('a row of one short value is at most 56 px high where the title is beside the field, and stays so when it is edited', async () => {
  await page.viewport(1440, 900)
  const served = await serveScope()
  await renderConsole(served.address(MAIL))
  await expect.element(field('SMTP port')).toBeVisible()
  const heights = () =>
    [...document.querySelectorAll('[id^="row-smtp"]')].map((row) => row.getBoundingClientRect().height)
  const before = heights()
  expect(before).toHaveLength(3)
  expect(Math.max(...before)).toBeLessThanOrEqual(56)
  await field('SMTP port').fill('2525')
  await expect.element(page.getByRole('button', { name: 'Reset SMTP port' })).toBeVisible()
  await served.saveAsColleague({ [MAIL]: { smtpPort: 4444 } })
  await expect.element(page.getByText('4444')).toBeVisible()
  expect(heights()).toEqual(before)
})

test('that others saved a list is said in words, and its JSON is not squeezed beside them', async () => {
  await page.viewport(1440, 900)
  const served = await serveScope()
  const items = {
    type: 'object',
    title: 'Rule',
    properties: { country: { type: 'string', title: 'Country' } },
  }
  const rules = { kind: 'DATA' as const, schema: { type: 'array', title: 'Rules', maxItems: 200, items } }
  served.api.answer({
    [CONFIGURATION]: () => {
      const own = served.configuration()
      const mail = own.resources[MAIL]!
      const definitions = { ...mail.definitions, rules }
      const properties = { rules: wrapData([{ country: 'DE' }, { country: 'AT' }]), ...mail.properties }
      return { ...own, resources: { ...own.resources, [MAIL]: { ...mail, definitions, properties } } }
    },
  })
  await renderConsole(served.address(MAIL))
  await field('Country').first().fill('FR')
  const row = page.getByRole('group', { name: 'Rules' }).first()
  await expect.element(row.getByText('Changed')).toBeVisible()
  expect(row.element().textContent).not.toContain('"country"')

  await served.saveAsColleague({ [MAIL]: { rules: [{ country: 'DE' }, { country: 'CH' }] } })
  const said = row.getByText('Mira Castellan saved since then')
  await expect.element(said).toBeVisible()
  expect(said.element().scrollWidth).toBeLessThanOrEqual(said.element().clientWidth)
  expect(row.element().textContent).not.toContain('"country"')
})

test('what others saved in a long text leaves the buttons beside it in the window', async () => {
  const served = await serveScope()
  await renderConsole(served.address(MAIL))
  await field('SMTP host').fill('mine.example')
  await served.saveAsColleague({ [MAIL]: { smtpHost: `${'a-long-name.'.repeat(8)}example` } })
  const reset = page.getByRole('button', { name: 'Reset SMTP host' })
  await expect.element(page.getByRole('button', { name: 'Compare SMTP host' })).toBeVisible()
  for (const width of [360, 800, 1280]) {
    await page.viewport(width, 900)
    await expect.poll(() => reset.element().getBoundingClientRect().right).toBeLessThan(width)
  }
})
