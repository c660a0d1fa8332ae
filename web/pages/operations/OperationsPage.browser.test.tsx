import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { invalidateEndpoints } from '../../api/query.ts'
import { queryClient } from '../../app/query-client.ts'
import { refusal } from '../../testing/api.ts'
import { renderConsole, rowElements } from '../../testing/render.tsx'
import { serveScope } from '../../testing/served-scope.ts'
import { at, failure, operation } from './detail/calls/testing.ts'

const OPERATIONS = 'GET /operations'

test('"Select all that match" keeps the filters of the list, and reports a failure', async () => {
  const { api } = await serveScope({ [OPERATIONS]: () => ({ items: [operation()], nextCursor: null }) })
  await renderConsole('/operations?state=SUCCEEDED')
  await page.getByRole('checkbox', { name: /^Select Configure support-desk/ }).click()
  const selectAll = page.getByRole('button', { name: 'Select all that match' })
  await selectAll.click()
  const ofSelection = () => api.requests(OPERATIONS).find(({ query }) => query.get('limit') === '200')
  await expect.poll(() => ofSelection()?.query.get('state')).toBe('SUCCEEDED')

  api.answer({ [OPERATIONS]: () => refusal({ message: 'The list is not available.' }) })
  await selectAll.click()
  await expect.element(page.getByText('The list is not available.')).toBeVisible()
})

test('"Select all that match" stops reading when the person leaves the list', async () => {
  const { api } = await serveScope({ [OPERATIONS]: () => ({ items: [operation()], nextCursor: 'more' }) })
  await renderConsole('/operations')
  await page.getByRole('checkbox', { name: /^Select Configure support-desk/ }).click()
  await page.getByRole('button', { name: 'Select all that match' }).click()
  const reads = () => api.requests(OPERATIONS).filter(({ query }) => query.get('limit') === '200').length
  await expect.poll(reads).toBeGreaterThan(3)
  await page.getByRole('link', { name: 'Configuration' }).first().click()
  await expect.element(page.getByRole('heading', { level: 1, name: 'Operations' })).not.toBeInTheDocument()
  const read = reads()
  await new Promise((resolve) => setTimeout(resolve, 300))
  // the one that was on its way
  expect(reads() - read).toBeLessThanOrEqual(1)
})

test('selected operations are assigned by one press, and those that may not be are counted', async () => {
  const { api } = await serveScope({
    [OPERATIONS]: () => ({ items: [operation()], nextCursor: null }),
    'POST /operations/assign': () => ({
      assignee: { id: 'olivia', name: 'Olivia Quill' },
      assigned: 1,
      refused: ['01900000-0000-7000-8000-000000000009'],
    }),
  })
  await renderConsole('/operations')
  await page.getByRole('checkbox', { name: /^Select Configure support-desk/ }).click()
  await page.getByRole('button', { name: 'Assign to me' }).click()
  await expect.element(page.getByText(/^1 operation assigned\. 1 not/)).toBeVisible()
  expect(api.requests('POST /operations/assign').at(-1)?.body).toMatchObject({
    operationIds: [operation().operationId],
  })
})

test('a failed operation shows its failure, its plugin call and who acts next', async () => {
  const failed = operation({
    state: 'FAILED',
    phase: 'AFTER_RESOURCES',
    call: { pluginId: 'hooks', attempts: 3 },
    failure: failure('MAILBOX_LOCKED', false),
    nextStep: { actor: 'PLUGIN_OWNER', action: 'FIX_CAUSE', since: at(1000) },
  })
  await serveScope({ [OPERATIONS]: () => ({ items: [failed], nextCursor: null }) })
  await renderConsole('/operations')
  const cell = (name: string) => page.getByRole('cell', { name })
  await expect
    .element(cell('It was MAILBOX_LOCKED. MAILBOX_LOCKED · hooks · After resources · 3 attempts'))
    .toBeVisible()
  await expect.element(cell('Plugin owner Find and fix the cause')).toBeVisible()
})

test('a succeeded operation says nothing of a failure, and a page without any has no columns for them', async () => {
  const done = operation({ state: 'SUCCEEDED', phase: 'DONE', finishedAt: at(1_000), failure: null })
  const succeeded = {
    ...done,
    operationId: '01900000-0000-7000-8000-0000000000ff',
    title: 'Support desk',
    nextStep: { ...done.nextStep, actor: 'NOBODY' as const, action: 'NONE' as const },
  }
  const failed = operation({ state: 'FAILED', phase: 'RESOURCES', failure: failure('MAILBOX_LOCKED', false) })
  const { api } = await serveScope({ [OPERATIONS]: () => ({ items: [succeeded], nextCursor: null }) })
  await renderConsole('/operations')
  const row = page.getByRole('row', { name: /Configure Support desk/ })
  await expect.element(row).toBeVisible()
  const header = page.getByRole('columnheader', { name: 'Failure' })
  await expect.element(header).not.toBeInTheDocument()
  await expect.element(page.getByRole('columnheader', { name: 'Next step' })).not.toBeInTheDocument()
  api.answer({ [OPERATIONS]: () => ({ items: [failed, succeeded], nextCursor: null }) })
  await invalidateEndpoints(queryClient, [OPERATIONS])
  await expect.element(header).toBeInTheDocument()
  const texts = row
    .getByRole('cell')
    .elements()
    .map((cell) => cell.textContent)
  expect(texts.filter((text) => text === '')).not.toHaveLength(0)
  expect(texts).not.toContain('–')
})

test('a row costs at most 31 elements, however much it shows', async () => {
  const run = {
    assignee: { id: 'ling', name: 'Ling Zhao' },
    targetVersion: '1.1.0',
    phase: 'AFTER_RESOURCES',
    call: { pluginId: 'hooks', attempts: 3 },
  } as const
  const items = [
    operation({
      ...run,
      state: 'FAILED',
      failure: failure('MAILBOX_LOCKED', false),
      nextStep: { actor: 'PLUGIN_OWNER', action: 'FIX_CAUSE', since: at(1000) },
    }),
    operation({
      ...run,
      operationId: '01920000-0000-7000-8000-0000000000b1',
      state: 'RUNNING',
      finishedAt: null,
      nextStep: { actor: 'PLATFORM', action: 'FINISH', since: at(1000) },
    }),
    operation({
      ...run,
      operationId: '01920000-0000-7000-8000-0000000000b2',
      state: 'WAITING',
      finishedAt: null,
      nextAttemptAt: new Date(Date.now() + 3_600_000).toISOString(),
      nextStep: { actor: 'PLATFORM', action: 'RETRY', since: at(1000) },
    }),
  ]
  await serveScope({ [OPERATIONS]: () => ({ items, nextCursor: null }) })
  await renderConsole('/operations')
  await expect.poll(() => rowElements().length).toBe(3)
  expect(Math.max(...rowElements())).toBeLessThanOrEqual(31)
})

test('operations are filtered by the name of a person, and the others stay to choose from', async () => {
  const mine = operation({ operationId: '01920000-0000-7000-8000-0000000000b1' })
  const ling = { id: 'ling', name: 'Ling Zhao' }
  const hers = { ...operation({ operationId: '01920000-0000-7000-8000-0000000000b2' }), requestedBy: ling }
  const { api } = await serveScope({
    [OPERATIONS]: ({ query }) => ({
      items: [mine, hers].filter(
        ({ requestedBy }) => (query.get('requestedBy') ?? requestedBy.id) === requestedBy.id,
      ),
      nextCursor: null,
    }),
  })
  const screen = await renderConsole('/operations')
  const person = page.getByRole('combobox', { name: 'Requested by' })
  await userEvent.selectOptions(person, 'Ling Zhao')
  await expect.poll(screen.address).toContain('requestedBy=ling')
  await expect.poll(() => api.requests(OPERATIONS).at(-1)?.query.get('requestedBy')).toBe('ling')
  await expect.element(person.getByRole('option', { name: mine.requestedBy.name })).toBeInTheDocument()
})

test('operations are filtered by a time in words', async () => {
  const { api } = await serveScope({ [OPERATIONS]: () => ({ items: [operation()], nextCursor: null }) })
  const screen = await renderConsole('/operations')
  await page.getByRole('button', { name: 'Time' }).click()
  const around = page.getByRole('textbox', { name: 'Around' })
  await around.fill('some day')
  await userEvent.keyboard('{Enter}')
  await expect.element(around).toHaveAccessibleDescription(/Enter a day, a time or both/)
  await around.fill('2026-11-20 14:00')
  await userEvent.keyboard('{Enter}')
  const since = new Date(2026, 10, 20, 13, 30).toISOString()
  await expect.poll(screen.address).toContain(`since=${encodeURIComponent(since)}`)
  await expect.poll(() => api.requests(OPERATIONS).at(-1)?.query.get('since')).toBe(since)
})

test('operations are filtered by their assignee, and by having none', async () => {
  const ling = { id: 'ling', name: 'Ling Zhao' }
  const renamed = operation({
    operationId: '01920000-0000-7000-8000-0000000000b1',
    requestedBy: { ...ling, name: 'Ling' },
  })
  const hers = operation({
    assignee: ling,
    state: 'FAILED',
    nextStep: { actor: 'SUPPORT', action: 'RETRY', since: at(0) },
  })
  const { api } = await serveScope({
    [OPERATIONS]: () => ({ items: [renamed, hers], nextCursor: null }),
  })
  await renderConsole('/operations')
  await expect.element(page.getByRole('cell', { name: /^Support: .+ Assigned to Ling Zhao$/ })).toBeVisible()
  const assignee = page.getByRole('combobox', { name: 'Assignee' })
  const lastAssignee = () => api.requests(OPERATIONS).at(-1)?.query.get('assignee')
  await userEvent.selectOptions(assignee, 'Nobody')
  await expect.poll(lastAssignee).toBe('-')
  await userEvent.selectOptions(assignee, 'Ling Zhao')
  await expect.poll(lastAssignee).toBe('ling')
})

test('a list of several pages shows how many operations match its filters', async () => {
  const TOTAL = 'GET /operations/total'
  const { api } = await serveScope({
    [OPERATIONS]: () => ({ items: [operation()], nextCursor: 'next' }),
    [TOTAL]: () => ({ total: 1234, isMore: false }),
  })
  await renderConsole('/operations?state=SUCCEEDED&q=CHG-2041&sort=createdAt')
  await expect.element(page.getByText('1 row · 1,234 operations in total')).toBeVisible()
  const [{ query } = { query: new URLSearchParams() }] = api.requests(TOTAL)
  expect(Object.fromEntries(query)).toEqual({
    state: 'SUCCEEDED',
    q: 'CHG-2041',
    // in which a search reads words such as "yesterday"
    timeZone: 'Europe/Berlin',
  })

  api.answer({ [TOTAL]: () => ({ total: 10_000, isMore: true }) })
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.element(page.getByText('1 row · more than 10,000 operations in total')).toBeVisible()
})

test('the header sorts by creation and by end, and the rows show that time', async () => {
  const ended = operation({ createdAt: at(-7_200_000), finishedAt: at(-3_600_000) })
  const open = operation({
    operationId: '01920000-0000-7000-8000-0000000000b1',
    state: 'RUNNING',
    createdAt: at(-7_200_000),
    finishedAt: null,
  })
  const { api } = await serveScope({ [OPERATIONS]: () => ({ items: [ended, open], nextCursor: null }) })
  const screen = await renderConsole('/operations?q=desk')
  const header = page.getByRole('columnheader', { name: /^State/ })
  await expect.element(header).toHaveAttribute('aria-sort', 'descending')
  await header.getByRole('button', { name: 'Ended' }).click()
  await expect.poll(screen.address).toContain('sort=-finishedAt')
  await expect.poll(() => api.requests(OPERATIONS).at(-1)?.query.get('sort')).toBe('-finishedAt')
  expect(screen.address()).toContain('q=desk')
  const times = () =>
    [...document.querySelectorAll('tbody tr')].map(
      (row) => row.querySelector('time')?.getAttribute('datetime') ?? row.textContent,
    )
  await expect.poll(() => times()[0]).toBe(ended.finishedAt)
  expect(times()[1]).toContain('Not ended')
  await header.getByRole('button', { name: 'Ended' }).click()
  await expect.poll(() => api.requests(OPERATIONS).at(-1)?.query.get('sort')).toBe('finishedAt')
  await expect.element(header).toHaveAttribute('aria-sort', 'ascending')
})

test('cards have a list of the sort orders instead of the header', async () => {
  await page.viewport(360, 780)
  const { api } = await serveScope({ [OPERATIONS]: () => ({ items: [operation()], nextCursor: null }) })
  await renderConsole('/operations')
  const sort = page.getByRole('combobox', { name: 'Sort by' })
  await expect.element(sort).toHaveValue('-createdAt')
  await expect.element(page.getByRole('button', { name: 'Created' })).not.toBeInTheDocument()
  await userEvent.selectOptions(sort, 'Ended, descending')
  await expect.poll(() => api.requests(OPERATIONS).at(-1)?.query.get('sort')).toBe('-finishedAt')
})

test('a search that has not read everything says how far it came, and continues', async () => {
  const TOTAL = 'GET /operations/total'
  const { api } = await serveScope({
    [OPERATIONS]: ({ query }) =>
      query.get('cursor') === null
        ? { items: [], nextCursor: 'older', searchedTo: at(0) }
        : { items: [operation()], nextCursor: null },
    [TOTAL]: () => ({ total: 7, isMore: true }),
  })
  await renderConsole('/operations?q=planned+refused')
  await expect.element(page.getByText('Nothing found so far')).toBeVisible()
  await expect.element(page.getByText(/Searched back to .*2026/)).toBeVisible()
  await expect.element(page.getByText('0 rows · at least 7 operations in total')).toBeVisible()
  await page.getByRole('link', { name: 'Next' }).click()
  await expect.element(page.getByRole('row', { name: /support-desk/ })).toBeVisible()
  expect(api.requests(OPERATIONS).at(-1)?.query.get('cursor')).toBe('older')
})
