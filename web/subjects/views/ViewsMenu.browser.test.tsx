import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { SavedView } from '#contract/console-api/shapes.ts'
import { refusal, type Handlers, type ServedApi } from '../../testing/api.ts'
import { renderConsole } from '../../testing/render.tsx'
import { OLIVIA, serveScope } from '../../testing/served-scope.ts'
import { operation } from '../../pages/operations/detail/calls/testing.ts'

const view = (changes: Partial<SavedView>): SavedView => ({
  viewId: '01920000-0000-7000-8000-0000000000c1',
  page: 'operations',
  name: 'Night shift',
  search: 'state=FAILED&environmentKey=production',
  shared: false,
  owner: OLIVIA,
  editable: true,
  updatedAt: '2026-11-23T08:00:00.000Z',
  ...changes,
})

let api: ServedApi
let stored: SavedView[]

const handlers: Handlers = {
  'GET /operations': () => ({ items: [operation()], nextCursor: null }),
  'GET /saved-views': () => ({ items: stored, nextCursor: null }),
  'POST /saved-views': ({ body }) => {
    const made = view({ ...(body as Partial<SavedView>), viewId: '01920000-0000-7000-8000-0000000000c9' })
    stored.push(made)
    return made
  },
  'PUT /saved-views/{viewId}': ({ params, body }) => {
    stored = stored.map((old) =>
      old.viewId === params['viewId'] ? { ...old, ...(body as Partial<SavedView>) } : old,
    )
    return stored.find(({ viewId }) => viewId === params['viewId']) ?? refusal({ code: 'NOT_FOUND' })
  },
  'DELETE /saved-views/{viewId}': ({ params }) => {
    stored = stored.filter(({ viewId }) => viewId !== params['viewId'])
    return { viewId: String(params['viewId']) }
  },
}

beforeEach(async () => {
  stored = [view({})]
  const served = await serveScope(handlers)
  api = served.api
})

const trigger = page.getByRole('button', { name: /^View/ })
const menu = page.getByRole('menu', { name: 'Views' })
const item = (name: string | RegExp) => menu.getByRole('menuitem', { name })
const choice = (name: string | RegExp) => menu.getByRole('menuitemradio', { name })

test('a list without filters does not read the views until their menu opens', async () => {
  await renderConsole('/operations')
  await expect.element(page.getByRole('table')).toBeVisible()
  await expect.element(trigger).toHaveTextContent('Views')
  expect(api.requests('GET /saved-views')).toHaveLength(0)
  await trigger.click()
  await expect.element(choice('Night shift')).toBeVisible()
  await expect.element(item(/Save as a view/)).toHaveAttribute('aria-disabled', 'true')
})

test('the keyboard chooses a view, and its filters and name are shown', async () => {
  const screen = await renderConsole('/operations')
  await trigger.click()
  await expect.element(choice('Needs support')).toHaveFocus()
  await expect.element(choice('Night shift')).toBeVisible()
  await userEvent.keyboard('n{ArrowUp}{ArrowDown}')
  await expect.element(choice('Night shift')).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(screen.address).toBe('/operations?environmentKey=production&state=FAILED')
  await expect.element(trigger).toHaveAccessibleName('View: Night shift')
  await trigger.click()
  await expect.element(choice('Night shift')).toHaveAttribute('aria-checked', 'true')
})

test('other filters mark the view as modified, and it is updated', async () => {
  const screen = await renderConsole('/operations')
  await trigger.click()
  await choice('Night shift').click()
  await expect.element(trigger).toHaveAccessibleName('View: Night shift')
  await userEvent.selectOptions(page.getByRole('combobox', { name: 'Assignee' }), 'Nobody')
  await expect.element(trigger).toHaveAccessibleName('View: Night shift modified')
  await trigger.click()
  await item('Update “Night shift”').click()
  await expect.element(trigger).toHaveAccessibleName('View: Night shift')
  expect(stored[0]?.search).toBe('assignee=-&environmentKey=production&state=FAILED')
  expect(screen.address()).toContain('assignee=-')
})

test('the filters are saved under a name, and a taken name is reported at its field', async () => {
  const screen = await renderConsole('/operations?state=WAITING&cursor=WyJh')
  await expect.element(page.getByRole('table')).toBeVisible()
  await trigger.click()
  await item(/Save as a view/).click()
  const dialog = page.getByRole('dialog', { name: 'Save as a view' })
  const name = dialog.getByRole('textbox', { name: 'Name' })
  const message = 'Another view of this page has this name.'
  api.answer({
    'POST /saved-views': () =>
      refusal({ status: 400, details: [{ path: 'body.name', errorCode: 'REQUEST_INVALID', message }] }),
  })
  await name.fill('Night shift')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(name).toHaveAccessibleDescription(message)
  api.answer(handlers)
  await name.fill('Waiting')
  await dialog.getByRole('switch', { name: /Share with everyone/ }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(trigger).toHaveAccessibleName('View: Waiting')
  expect(stored[1]).toMatchObject({ name: 'Waiting', search: 'state=WAITING', shared: true })
  expect(screen.address()).toBe('/operations?state=WAITING')
})

test('a view is shared, renamed and deleted; those of others only chosen', async () => {
  const theirs = {
    viewId: '01920000-0000-7000-8000-0000000000c2',
    name: 'Theirs',
    search: 'state=WAITING',
    shared: true,
    editable: false,
    owner: { id: 'ling', name: 'Ling Zhao' },
  }
  stored.push(view(theirs))
  await renderConsole('/operations?environmentKey=production&state=FAILED')
  await expect.element(trigger).toHaveAccessibleName('View: Night shift')
  await trigger.click()
  await item('Share with everyone').click()
  await expect.poll(() => stored[0]?.shared).toBe(true)
  await trigger.click()
  await item(/^Rename/).click()
  const dialog = page.getByRole('dialog', { name: 'Rename view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Night')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(trigger).toHaveAccessibleName('View: Night')
  expect(api.requests('PUT /saved-views/{viewId}').map(({ body }) => body)).toEqual([
    { page: 'operations', shared: true },
    { page: 'operations', name: 'Night' },
  ])
  await trigger.click()
  await item(/^Delete/).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
  await expect.element(trigger).toHaveAccessibleName('Views')
  await trigger.click()
  await choice(/Theirs/).click()
  await expect.element(trigger).toHaveAccessibleName('View: Theirs')
  await trigger.click()
  await expect.element(choice(/Theirs/)).toHaveTextContent('Theirs Ling Zhao')
  await expect.element(item(/^Rename/)).not.toBeInTheDocument()
})

test('the command palette finds a view by its name', async () => {
  const screen = await renderConsole('/installations')
  await expect.element(page.getByRole('heading', { name: 'Installations' })).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.keyboard('view night')
  await page.getByRole('option', { name: /View Night shift/ }).click()
  await expect.poll(screen.address).toBe('/operations?environmentKey=production&state=FAILED')
  await expect.element(trigger).toHaveAccessibleName('View: Night shift')
})
