import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Summary } from '#contract/runtime-api/summary.ts'
import type { Session } from '#contract/console-api/rows.ts'
import { queryClient } from '../../app/query-client.ts'
import { TroubleNotices } from '../../subjects/troubles/Troubles.tsx'
import { refusal, serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { changeRequestWith } from '../../testing/change-request.ts'
import { OLIVIA } from '../../testing/served-scope.ts'
import { operation } from '../operations/detail/calls/testing.ts'
import { MyRequests } from './MyRequests.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import { Clocks, OverviewPage } from './OverviewPage.tsx'
import { OperationsPlot } from './OperationsPlot.tsx'
import { OverviewSummary } from './OverviewSummary.tsx'

const summary: Summary = {
  installations: { NOT_INSTALLED: 0, ACTIVE: 0, DETACHED: 0 },
  outdated: 0,
  claims: [],
  nextSteps: [],
  operations: { PENDING: 0, RUNNING: 0, WAITING: 0, SUCCEEDED: 0, FAILED: 0, TAKEN_OVER: 0 },
  clockAheadMs: null,
}

for (const clockAheadMs of [-400_000, 400_000])
  test(`a difference of the clocks is told with its size: ${clockAheadMs} ms`, async () => {
    serveApi({ 'GET /summary': () => ({ ...summary, clockAheadMs }) })
    await renderInConsole(<Clocks />)
    await expect.element(page.getByText(/differ by 6.min 40.s\. .* synchronize the clocks/)).toBeVisible()
  })

test('clocks that agree are not mentioned', async () => {
  serveApi({ 'GET /summary': () => summary })
  await renderInConsole(
    <>
      <Clocks />
      <p>the page</p>
    </>,
  )
  await expect.element(page.getByText('the page')).toBeVisible()
  await expect.element(page.getByRole('status')).not.toBeInTheDocument()
})

test('a standby that serves no reads is told as a warning, and hides nothing', async () => {
  const api = await serveApi({
    'GET /summary': () => summary,
    'GET /causes': () => ({ causes: [], total: 0 }),
    'GET /operations': () => ({ items: [], nextCursor: null }),
    'GET /installations': () => ({ items: [], nextCursor: null }),
    'GET /troubles': () => ({ items: [{ kind: 'STANDBY_UNUSED', since: '2026-11-22T08:00:00.000Z' }] }),
  })
  const parts = (
    <>
      <TroubleNotices />
      <NeedsAttention />
    </>
  )
  const { unmount } = await renderInConsole(parts)
  const warning = page.getByRole('status').filter({ hasText: 'The standby is not serving reads' })
  await expect.element(warning.getByText(/Everything works.*slower/)).toBeVisible()
  await expect
    .element(warning.getByText(/check that the standby at DATABASE_READ_URL is running/))
    .toBeVisible()
  const calm = page.getByText('Nothing needs attention')
  await expect.element(calm).toBeVisible()
  await unmount()
  // what keeps the platform from working is an error, and then nothing is calm
  queryClient.clear()
  api.answer({
    'GET /troubles': () => ({ items: [{ kind: 'NO_WORKER', since: '2026-11-22T08:00:00.000Z' }] }),
  })
  await renderInConsole(parts)
  await expect
    .element(page.getByRole('alert').filter({ hasText: 'start the runtime with a worker' }))
    .toBeVisible()
  await expect.element(calm).not.toBeInTheDocument()
  await expect.element(warning).not.toBeInTheDocument()
})

test('one message says that nothing can be read, and a press reads all of it', async () => {
  const away = () => refusal({ code: 'RUNTIME_UNREACHABLE', status: 502, retryable: true })
  const reads = {
    'GET /causes': away,
    'GET /operations': away,
    'GET /operations/counts': away,
    'GET /installations': away,
    'GET /batches': away,
    'GET /webhooks': away,
    'GET /bundles': away,
    'GET /troubles': away,
  }
  const api = await serveApi({ ...reads, 'GET /summary': away })
  await renderInConsole(<OverviewPage />)
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect.poll(() => page.getByText('Installations').elements().length).toBe(0)
  await expect.poll(() => retry.elements().length).toBe(1)
  api.answer({
    'GET /summary': () => ({ ...summary, installations: { ...summary.installations, ACTIVE: 1 } }),
  })
  await retry.click()
  await expect.element(page.getByText('Installations').first()).toBeVisible()
})

test('what a person does to a bundle at another time is another change, and its link leads to these operations', async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 22, 8, minute)).toISOString()
  const created = (minute: number) =>
    operation({ operationId: crypto.randomUUID(), createdAt: at(minute), finishedAt: at(minute + 1) })
  await serveApi({
    'GET /summary': () => summary,
    'GET /installed-versions': () => ({ items: [], nextCursor: null }),
    'GET /operations': () => ({ items: [45, 44, 20, 12, 11].map(created), nextCursor: 'older' }),
  })
  await renderInConsole(<OverviewSummary />)
  const recent = page.getByRole('region', { name: 'Recent changes' })
  await expect.element(recent.getByRole('listitem')).toHaveLength(2)
  const [newer, older] = recent.getByRole('listitem').getByRole('link').elements()
  expect(newer?.textContent).toMatch(/2 operations/)
  const listed = (link: Element | undefined) => {
    const { searchParams } = new URL(link instanceof HTMLAnchorElement ? link.href : '')
    return [searchParams.get('since'), searchParams.get('until')]
  }
  expect(listed(newer)).toEqual([at(44), at(45).replace('.000Z', '.001Z')])
  expect(older?.textContent).toMatch(/more than 3 operations/)
  expect(listed(older)).toEqual([null, at(20).replace('.000Z', '.001Z')])
})

test('the operations of a batch are one recent change, so that those of others are seen', async () => {
  const changes = [1, 2, 3].map((n) => operation({ operationId: crypto.randomUUID(), executionSequence: n }))
  const other = operation({
    operationId: crypto.randomUUID(),
    requestedBy: { id: 'ling', name: 'Ling Zhao' },
  })
  await serveApi({
    'GET /summary': () => summary,
    'GET /installed-versions': () => ({ items: [], nextCursor: null }),
    'GET /operations': () => ({ items: [...changes, other], nextCursor: null }),
  })
  await renderInConsole(<OverviewSummary />)
  const recent = page.getByRole('region', { name: 'Recent changes' })
  await expect.element(recent.getByRole('listitem')).toHaveLength(2)
  await expect.element(recent.getByRole('link', { name: /3 operations/ })).toBeVisible()
  await expect.element(recent.getByRole('link', { name: /Ling Zhao/ })).toBeVisible()
})

test('the plot says of an hour what happened in it, and is no empty figure to screen readers', async () => {
  const hour = 3_600_000
  const since = new Date(Math.floor(Date.now() / hour) * hour - 2 * hour).toISOString()
  serveApi({
    'GET /operations/counts': () => ({
      bucket: 'hour',
      buckets: [{ since, counts: { SUCCEEDED: 2, RUNNING: 1 } }],
    }),
  })
  await renderInConsole(<OperationsPlot />)
  await expect
    .poll(() => [...document.querySelectorAll('rect > title')].map(({ textContent }) => textContent))
    .toEqual([expect.stringMatching(/^\d\d:00–\d\d:00: Succeeded: 2[,;] In progress: 1$/)])
  await expect.element(page.getByRole('figure')).not.toBeInTheDocument()
})

const sessionWith = (permissions: Session['permissions']): Session => ({
  user: OLIVIA,
  roles: [],
  permissions,
  grants: [{ permissions, scope: null }],
  environmentMarks: [],
})

test('a console without installations says how to begin, in place of empty lists', async () => {
  await serveApi({
    'GET /summary': () => summary,
    'GET /session': () => sessionWith(['read', 'plugin:write', 'catalog:write']),
  })
  await renderInConsole(<OverviewPage />)
  await expect.element(page.getByText('No installations yet')).toBeVisible()
  await expect.element(page.getByRole('link', { name: 'Catalog' })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'Needs attention' })).not.toBeInTheDocument()
})

test('a person who may not publish is not told to, where nothing is installed in the own scopes', async () => {
  await serveApi({
    'GET /summary': () => summary,
    'GET /session': () => sessionWith(['read', 'plugin:write']),
  })
  await renderInConsole(<OverviewPage />)
  await expect.element(page.getByText(/Only installations that you can see/)).toBeVisible()
  await expect.element(page.getByText(/Register plugins/)).not.toBeInTheDocument()
  await expect.element(page.getByRole('link', { name: 'Catalog' })).not.toBeInTheDocument()
})

test('the open change requests of the person are listed, also a draft that was shared on another device', async () => {
  const [draft, approved] = [
    changeRequestWith({ title: 'Move the mail port', state: 'DRAFT' }),
    changeRequestWith({
      changeRequestId: crypto.randomUUID(),
      title: 'Detach the pilots',
      state: 'APPROVED',
    }),
  ]
  const api = await serveApi({
    'GET /change-requests': () => ({ items: [draft, approved], nextCursor: null }),
  })
  await renderInConsole(<MyRequests />)
  const mine = page.getByRole('region', { name: 'Your change requests' })
  const shared = mine.getByRole('listitem').filter({ hasText: 'Draft' })
  await expect
    .element(shared.getByRole('link', { name: 'Move the mail port' }))
    .toHaveAttribute('href', `/change-requests/${draft.changeRequestId}`)
  await expect
    .element(mine.getByRole('listitem').filter({ hasText: 'Approved' }).getByRole('link'))
    .toHaveTextContent('Detach the pilots')
  expect(Object.fromEntries(api.requests('GET /change-requests')[0]?.query ?? [])).toMatchObject({
    author: OLIVIA.id,
    state: expect.stringContaining('DRAFT') as string,
  })
})
