import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Batch, BatchPlan } from '#contract/console-api/shapes.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import { queryClient } from '../../app/query-client.ts'
import { serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { BatchDialog, type BatchTarget } from './BatchDialog.tsx'

const PLAN = 'POST /batches/plan'
const CREATE = 'POST /batches'

const targets: BatchTarget[] = [1, 2].map((workspaceId) => {
  const id = `01920000-0000-7000-8000-00000000000${workspaceId}`
  return {
    id,
    installation: {
      environmentKey: 'production',
      applicationRuntimeId: 'eu',
      workspaceId,
      bundleInstallId: id,
      bundle: { environmentKey: 'production', bundleId: 'crm' },
    },
    title: `CRM ${workspaceId}`,
    version: '1.0.0',
  }
})

type Problems = BatchPlan['items'][number]['problems']
const finished: Problems = [{ errorCode: 'NOT_FAILED', message: 'The operation did not fail.' }]

const planWith = (planToken: string, problemsOf: (id: string) => Problems): BatchPlan => ({
  planToken,
  items: targets.map(({ id, installation, title, version }) => ({
    target: id,
    installation,
    title,
    currentVersion: version,
    claim: null,
    changes: 0,
    plugins: [],
    problems: problemsOf(id),
  })),
})

const batch: Batch = {
  batchId: '01920000-0000-7000-8000-0000000000aa',
  action: 'RETRY',
  title: 'Retry 2 operations',
  input: { targetVersion: null, properties: [] },
  first: null,
  concurrency: 5,
  stopAfterFailures: null,
  reason: null,
  state: 'RUNNING',
  because: null,
  requestedBy: { id: 'olivia', name: 'Olivia' },
  createdAt: '2026-11-22T08:00:00.000Z',
  finishedAt: null,
  counts: { PENDING: 2, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, REFUSED: 0, SKIPPED: 0 },
}

const open = (action: 'RETRY' | 'DETACH') =>
  renderInConsole(<BatchDialog action={action} targets={targets} onClose={() => undefined} />)

test('a batch of which nothing can start is not sent', async () => {
  const api = await serveApi({ [PLAN]: () => planWith('first', () => finished), [CREATE]: () => ({ batch }) })
  await open('RETRY')
  await expect.element(page.getByText('0 will start, 2 are refused')).toBeVisible()
  const start = page.getByRole('button', { name: 'Retry 0' })
  await start.click({ force: true })
  await expect.element(start).toHaveFocus()
  await expect.element(start).toHaveAccessibleDescription('None of the targets can start.')
  expect(api.requests(CREATE)).toEqual([])
})

test('a batch that needs a reason is not sent without one', async () => {
  const api = await serveApi({ [PLAN]: () => planWith('first', () => []), [CREATE]: () => ({ batch }) })
  const screen = await open('DETACH')
  await page.getByRole('button', { name: 'Detach 2' }).click({ force: true })
  const reason = page.getByRole('textbox', { name: /Reason/ })
  await expect.element(reason).toHaveFocus()
  expect(api.requests(CREATE)).toEqual([])
  await userEvent.fill(reason, 'The pilot is over')
  await page.getByRole('button', { name: 'Detach 2' }).click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([
    { action: 'DETACH', reason: 'The pilot is over', planToken: 'first' },
  ])
})

test('a batch with an invalid limit is not sent', async () => {
  const api = await serveApi({ [PLAN]: () => planWith('first', () => []), [CREATE]: () => ({ batch }) })
  const screen = await open('RETRY')
  const start = page.getByRole('button', { name: 'Retry 2' })
  const failures = page.getByRole('textbox', { name: 'Stop after failures' })
  await userEvent.fill(failures, '0')
  await expect.element(failures).toHaveAttribute('aria-invalid', 'true')
  await start.click({ force: true })
  await expect.element(start).toHaveAccessibleDescription('Correct the limits first.')
  expect(api.requests(CREATE)).toEqual([])
  await userEvent.fill(failures, '1')
  await start.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([{ stopAfterFailures: 1 }])
})

test('the plan that is sent is the one that was shown, for the targets at the time of opening', async () => {
  const later = Promise.withResolvers<BatchPlan>()
  const api = await serveApi({ [PLAN]: () => planWith('first', () => []), [CREATE]: () => ({ batch }) })
  const screen = await open('RETRY')
  const start = page.getByRole('button', { name: 'Retry 2' })
  await expect.element(page.getByText('2 will start')).toBeVisible()
  api.answer({ [PLAN]: () => later.promise })
  void invalidateEndpoints(queryClient, [PLAN])
  await expect.poll(() => api.requests(PLAN)).toHaveLength(2)
  await start.click()
  await expect.element(page.getByText(/The plan was out of date/)).toBeVisible()
  expect(api.requests(CREATE)).toEqual([])

  // the list behind the dialog has changed meanwhile
  await screen.rerender(<BatchDialog action="RETRY" targets={targets.slice(1)} onClose={() => undefined} />)
  later.resolve(planWith('second', () => []))
  await expect
    .element(page.getByRole('region', { name: 'What will happen' }))
    .toHaveAttribute('aria-busy', 'false')
  await start.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([
    { targets: targets.map(({ id }) => id), planToken: 'second' },
  ])
})
