import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { paths } from '../addresses/paths.ts'
import { renderInConsole } from '../testing/render.tsx'
import type { PaletteGroup, ShellContextValue } from '../subjects/shell/shell-context.ts'
import { navigation } from './Navigation.tsx'
import { Shell } from './Shell.tsx'

const palette = page.getByRole('dialog', { name: 'Search' })
const input = palette.getByRole('combobox')
const options = palette.getByRole('option')

const INSTALLATIONS: PaletteGroup = {
  title: 'Installations',
  hits: [
    { id: 'i-1', title: 'crm-suite 1.0.0 · Active', icon: 'installations', to: paths.installation('i-1') },
    { id: 'i-2', title: 'crm-suite 2.0.0 · Active', icon: 'installations', to: paths.installation('i-2') },
  ],
}
const OPERATIONS: PaletteGroup = { title: 'Operations', hits: [] }

const namesOf = () => options.elements().map((option) => option.textContent)
/** The selected option as announced by a screen reader. */
const chosen = () => {
  const id = input.element().getAttribute('aria-activedescendant')
  return id === null ? null : (document.getElementById(id)?.textContent ?? null)
}

async function open(search: ShellContextValue['search'] = () => Promise.resolve([])) {
  const screen = await renderInConsole(<Shell />, { search })
  await expect.element(screen.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  return screen
}

test('text typed right after Ctrl+K appears in the palette, the first time too', async () => {
  await open()
  await userEvent.keyboard('oper')
  await expect.element(input).toHaveValue('oper')
  await expect.element(options).toHaveLength(1)
  expect(chosen()).toBe('Operations')
})

test('opening the palette does not render the navigation again', async () => {
  const asked: string[] = []
  const screen = await renderInConsole(<Shell />, { can: (permission) => asked.push(permission) > 0 })
  await expect.element(screen.getByRole('navigation', { name: 'Main' })).toBeVisible()
  const ofNavigation = () => asked.filter((permission) => permission === 'change:approve').length
  const before = ofNavigation()
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(input).toHaveFocus()
  expect(before).toBeGreaterThan(0)
  expect(ofNavigation()).toBe(before)
})

test('the palette offers every page, and the arrow keys wrap around', async () => {
  const screen = await open()
  await expect.element(input).toHaveFocus()
  const pages = namesOf()
  expect(pages).toHaveLength(navigation.flatMap(({ entries }) => entries).length)
  expect(chosen()).toBe(pages[0])
  await userEvent.keyboard('{ArrowUp}')
  expect(chosen()).toBe(pages.at(-1))
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(chosen()).toBe(pages[1])
  await userEvent.keyboard('{Enter}')
  await expect.element(palette).not.toBeInTheDocument()
  expect(screen.address()).toBe('/duty')
})

test('Enter right after a text is pasted opens the first result of that text', async () => {
  const screen = await open((text) => Promise.resolve(text === 'crm' ? [INSTALLATIONS] : []))
  await input.fill('crm')
  await userEvent.keyboard('{Enter}')
  await expect.poll(screen.address).toBe('/installations/i-1')
})

test('the palette adds the search results to the pages, and opens one', async () => {
  const screen = await open(() => Promise.resolve([INSTALLATIONS, OPERATIONS]))
  await userEvent.keyboard('crm')
  const group = palette.getByRole('group', { name: 'Installations' })
  await expect.element(group.getByRole('option')).toHaveLength(2)
  expect(palette.getByRole('group', { name: 'Operations' }).query()).toBeNull()
  await userEvent.keyboard('{ArrowDown}{Enter}')
  await expect.poll(screen.address).toBe('/installations/i-2')
})

test('the response to an outdated search is discarded', async () => {
  const answers = new Map<string, (groups: PaletteGroup[]) => void>()
  const aborted: string[] = []
  await open(
    (text, signal) =>
      new Promise((resolve) => {
        answers.set(text, resolve)
        signal.addEventListener('abort', () => aborted.push(text))
      }),
  )
  await userEvent.keyboard('cr')
  await vi.waitFor(() => expect(answers.has('cr')).toBe(true))
  await userEvent.keyboard('m')
  await vi.waitFor(() => expect(answers.has('crm')).toBe(true))
  expect(aborted).toEqual(['cr'])
  answers.get('crm')?.([INSTALLATIONS])
  await expect.element(options).toHaveLength(2)
  answers.get('cr')?.([])
  await new Promise(requestAnimationFrame)
  expect(namesOf()).toHaveLength(2)
})

test('the palette reports that nothing was found, and that the search failed', async () => {
  const search = vi.fn<ShellContextValue['search']>(() => Promise.resolve([]))
  await open(search)
  await userEvent.keyboard('xyzzy')
  await expect.element(palette.getByText('No results')).toBeVisible()
  search.mockRejectedValue(new Error('unavailable'))
  await userEvent.keyboard('!')
  await expect.element(palette.getByText('Search is not available right now.')).toBeVisible()
})

test('Escape and a click outside close it, and the focus returns', async () => {
  const screen = await open()
  const skip = screen.getByRole('link', { name: 'Skip to content' })
  await userEvent.keyboard('{Escape}')
  await expect.element(palette).not.toBeInTheDocument()
  await userEvent.tab()
  await expect.element(skip).toHaveFocus()
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(input).toHaveFocus()
  await userEvent.pointer([{ target: document.body, coords: { x: 4, y: 4 } }, { keys: '[MouseLeft]' }])
  await expect.element(palette).not.toBeInTheDocument()
  await expect.element(skip).toHaveFocus()
})

test('actions are found by any word, and done at once', async () => {
  await open()
  await userEvent.keyboard('dark theme')
  await expect.element(options).toHaveLength(1)
  await userEvent.keyboard('{Enter}')
  expect(document.documentElement.dataset['theme']).toBe('dark')
  await userEvent.keyboard('{Control>}k{/Control}light theme{Enter}')
  expect(document.documentElement.dataset['theme']).toBe('light')
})

test('without a focused field, keys open pages and the list of keys', async () => {
  const screen = await renderInConsole(<Shell />)
  await expect.element(screen.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await userEvent.keyboard('gi')
  expect(screen.address()).toBe('/installations')
  await userEvent.keyboard('gt')
  expect(screen.address()).toBe('/batches')
  await userEvent.keyboard('gi')
  await userEvent.keyboard('gx')
  await userEvent.keyboard('o')
  expect(screen.address()).toBe('/installations')
  await userEvent.keyboard('?')
  await expect.element(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
})

test('a page that a person may not see is not in the menu', async () => {
  const screen = await renderInConsole(<Shell />, { can: (permission) => permission === 'read' })
  const menu = screen.getByRole('navigation', { name: 'Main' })
  await expect.element(menu.getByRole('link', { name: 'Services' })).toBeVisible()
  await expect.element(menu.getByRole('link', { name: 'Audit log' })).not.toBeInTheDocument()
})

test('a group that may have more results says how to find them', async () => {
  const hit = { id: 'one', title: 'CRM mail · SMTP port', icon: 'edit' as const, to: paths.overview() }
  await open(() => Promise.resolve([{ title: 'Properties', hits: [hit], mayHaveMore: true }]))
  await userEvent.keyboard('smtp')
  await expect.element(page.getByText(/^More may match/)).toBeVisible()
})
