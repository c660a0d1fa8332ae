import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Batch, BatchItem } from '#contract/console-api/shapes.ts'
import { batchWith } from '../../testing/batch.ts'
import { serveScope } from '../../testing/served-scope.ts'
import { renderConsole } from '../../testing/render.tsx'

const BATCH_ID = '01920000-0000-7000-8000-0000000000aa'
const PLAN = 'POST /batches/plan'
const ITEMS = 'GET /batches/{batchId}/items'

const idOf = (kind: number, n: number) => `01920000-0000-7000-800${kind}-${String(n).padStart(12, '0')}`
const items = Array.from({ length: 250 }, (_, n): BatchItem => ({
  target: idOf(1, n),
  scope: { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: n + 1 },
  bundle: { environmentKey: 'production', bundleId: 'crm' },
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId: n + 1,
    bundleInstallId: idOf(1, n),
    bundle: { environmentKey: 'production', bundleId: 'crm' },
  },
  title: `CRM ${n}`,
  currentVersion: '1.0.0',
  values: [],
  state: n < 20 ? 'SUCCEEDED' : 'FAILED',
  operationId: idOf(2, n),
}))
const batch = batchWith({
  batchId: BATCH_ID,
  action: 'UPGRADE',
  title: 'Upgrade 250 installations',
  input: { targetVersion: '2.0.0', properties: [] },
  state: 'DONE',
  finishedAt: '2026-11-22T08:10:00.000Z',
  counts: { SUCCEEDED: 20, FAILED: 230 },
})

test('all failed items are retried, also those that the page does not show', async () => {
  const { api } = await serveScope({
    'GET /batches/{batchId}': () => batch,
    [ITEMS]: ({ query }) => {
      const from = Number(query.get('cursor') ?? 0)
      const to = from + Number(query.get('limit'))
      const matching = items.filter(
        ({ state }) => query.get('state') === null || state === query.get('state'),
      )
      return { items: matching.slice(from, to), ...(to < matching.length && { next: String(to) }) }
    },
    [PLAN]: () => ({ planToken: 'token', items: [], broken: null }),
  })
  await renderConsole(`/batches/${BATCH_ID}?state=SUCCEEDED`)
  await page.getByRole('button', { name: 'Retry failed' }).click()
  await expect.element(page.getByRole('dialog', { name: 'Retry 230 operations' })).toBeInTheDocument()
  await expect
    .poll(() => api.requests(PLAN).at(-1)?.body)
    .toMatchObject({ targets: items.slice(20).map(({ operationId }) => operationId) })
})

test('items that were read before the batch finished are read again when it has', async () => {
  const [item] = items
  if (item === undefined) throw new Error('There is no item')
  let isFinishing = false
  let early = Infinity
  const { api } = await serveScope({
    'GET /batches/{batchId}': async () => {
      if (!isFinishing) return { ...batch, state: 'RUNNING', finishedAt: null }
      // the items have just been read, for the last time if only the interval reads them
      const soFar = api.requests(ITEMS).length
      await expect.poll(() => api.requests(ITEMS).length, { timeout: 10_000 }).toBeGreaterThan(soFar)
      early = api.requests(ITEMS).length
      return batch
    },
    [ITEMS]: () => ({
      items: [{ ...item, state: api.requests(ITEMS).length > early ? 'SUCCEEDED' : 'RUNNING' }],
    }),
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  const row = page.getByRole('table', { name: 'Items' }).getByRole('row', { name: /CRM 0/ })
  await expect.element(row).toMatchTextContent(/Running/)
  isFinishing = true
  await expect.element(row, { timeout: 10_000 }).toMatchTextContent(/Succeeded/)
})

test('an item that was refused because of a lock links to the operation that holds it', async () => {
  const [item] = items
  if (item === undefined) throw new Error('There is no item')
  const { operationId: _, ...untouched } = item
  const holder = idOf(3, 1)
  await serveScope({
    'GET /batches/{batchId}': () => batch,
    [ITEMS]: () => ({
      items: [
        {
          ...untouched,
          state: 'REFUSED',
          code: 'OPERATION_CLAIM_HELD',
          message: 'The INSTALL operation has failed and still locks the installation.',
          parameters: {
            reason: 'lockedByFailed',
            operationType: 'INSTALL',
            operationId: holder,
            bundle: 'crm',
          },
        },
      ],
    }),
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  const link = page.getByRole('table', { name: 'Items' }).getByRole('link', { name: 'Install operation' })
  await expect.element(link).toHaveAttribute('href', `/operations/${holder}`)
})

test('a value that a batch sets is named by its title', async () => {
  const of = { locator: 'production/crm/MODULE/core', after: { '@type': 'Data', value: 'eu' } } as const
  await serveScope({
    'GET /batches/{batchId}': () => ({
      ...batch,
      input: {
        targetVersion: '2.0.0',
        properties: [
          { ...of, property: 'region', title: 'Home region' },
          { ...of, property: 'timeZone' },
        ],
      },
    }),
    [ITEMS]: () => ({ items: [] }),
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  await expect.element(page.getByText('Home region')).toBeInTheDocument()
  await expect.element(page.getByText('timeZone')).toBeInTheDocument()
  await expect.element(page.getByText('region', { exact: true })).not.toBeInTheDocument()
})

test('a batch that is not done everywhere says so, and a retry takes what has moved on as it is now', async () => {
  const planned: unknown[] = []
  const [failed, moved, ended, skipped] = items
    .slice(20, 24)
    .map(({ operationId: _operation, ...item }, n): BatchItem => {
      if (n === 0) return { ...item, state: 'FAILED', operationId: item.target }
      if (n === 3) return { ...item, state: 'SKIPPED' }
      const parameters =
        n === 1
          ? { reason: 'batchOperationMoved', run: 2, seen: 1 }
          : { reason: 'batchOperationNotFailed', actual: 'SUCCEEDED' }
      return {
        ...item,
        state: 'REFUSED',
        code: 'OPERATION_NOT_RETRYABLE',
        message: 'It has moved on.',
        parameters,
      }
    })
  if (failed === undefined || moved === undefined || ended === undefined || skipped === undefined)
    throw new Error('No items')
  await serveScope({
    'GET /batches/{batchId}': () => ({
      ...batch,
      action: 'RETRY',
      counts: { PENDING: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 1, REFUSED: 2, SKIPPED: 1 },
    }),
    [ITEMS]: ({ query }) => ({
      items: [failed, moved, ended, skipped].filter(
        ({ state }) => query.get('state') === null || state === query.get('state'),
      ),
    }),
    [PLAN]: ({ body }) => {
      planned.push(body)
      return { planToken: 'token', items: [], broken: null }
    },
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  await expect.element(page.getByText('4 not done').first()).toBeVisible()
  await expect.element(page.getByText('It has moved on.').first()).toBeVisible()
  await expect.poll(() => page.getByRole('link', { name: 'View operation' }).all()).toHaveLength(4)
  await page.getByRole('button', { name: 'Retry failed' }).click()
  await expect
    .poll(() => planned.at(-1))
    .toMatchObject({ targets: [failed.target, skipped.target, moved.target] })
})

test('refused and skipped items are planned again with what the batch was made with, except hidden values', async () => {
  const locator = 'production/crm/MODULE/main'
  const planned: unknown[] = []
  const text = (title: string) => ({ kind: 'DATA' as const, schema: { type: 'string', title } })
  const notStarted = items.slice(0, 2).map(({ operationId: _operation, ...item }, n): BatchItem => ({
    ...item,
    ...(n === 0
      ? { state: 'REFUSED', code: 'PLAN_STALE', message: 'It has changed.' }
      : { state: 'SKIPPED' }),
    values: [
      { locator, property: 'region', before: null, after: { '@type': 'Data', value: n === 0 ? 'eu' : 'us' } },
    ],
  }))
  await serveScope({
    'GET /batches/{batchId}': () => ({
      ...batch,
      action: 'CONFIGURE',
      reason: 'Move the regions',
      first: 2,
      waves: { sizes: ['50%'], soakSeconds: 600, maxFailures: 0 },
      input: {
        targetVersion: null,
        properties: [
          { locator, property: 'label', after: { '@type': 'Data', value: 'Desk' } },
          { locator, property: 'region', after: null, targets: 3, differs: true },
          { locator, property: 'token', after: { '@type': 'Data', isSensitive: true, isSet: true } },
        ],
      },
      counts: { PENDING: 0, RUNNING: 0, SUCCEEDED: 1, FAILED: 0, REFUSED: 1, SKIPPED: 1 },
    }),
    [ITEMS]: ({ query }) => ({
      items: notStarted.filter(({ state }) => state === query.get('state')),
    }),
    'GET /bundles/{environmentKey}/{bundleId}/versions/{version}': () => ({
      bundle: { environmentKey: 'production', bundleId: 'crm' },
      version: '1.0.0',
      title: 'CRM',
      resources: [
        {
          kind: 'MODULE',
          name: 'main',
          moduleId: 'main',
          title: 'Core',
          properties: {
            label: text('Label'),
            region: text('Region'),
            token: { ...text('Token'), isSensitive: true as const },
          },
        },
      ],
      plugins: [],
    }),
    'GET /properties': () => ({ items: [], nextCursor: null }),
    [PLAN]: ({ body }) => {
      planned.push(body)
      return { planToken: 'token', items: [], broken: null }
    },
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  await page.getByRole('button', { name: 'Plan 2 targets again that did not start' }).click()
  const dialog = page.getByRole('dialog')
  await expect.element(dialog.getByText(/Hidden values of the earlier batch are not available/)).toBeVisible()
  await expect.element(dialog.getByRole('textbox', { name: 'Label' })).toHaveValue('Desk')
  await expect.element(dialog.getByRole('textbox', { name: 'production/eu/2' })).toHaveValue('us')
  await expect.element(dialog.getByRole('textbox', { name: /Reason/ })).toHaveValue('Move the regions')
  await expect.element(dialog.getByRole('textbox', { name: 'Pause after the first' })).toHaveValue('2')
  await expect.element(dialog.getByRole('textbox', { name: 'Soak time in minutes' })).toHaveValue('10')
  const set = (region: string) => ({
    [locator]: { label: { '@type': 'Data', value: 'Desk' }, region: { '@type': 'Data', value: region } },
  })
  await expect
    .poll(() => planned.at(-1))
    .toMatchObject({
      action: 'CONFIGURE',
      // what was refused comes last
      targets: notStarted.map(({ target }) => target).reverse(),
      waves: { sizes: ['50%'] },
      input: { values: { [notStarted[0]!.target]: set('eu'), [notStarted[1]!.target]: set('us') } },
    })
})

test('a batch that waits between waves says why and until when, and its wave is started with a reason', async () => {
  const none: Batch['counts'] = { PENDING: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, REFUSED: 0, SKIPPED: 0 }
  const counts = (changed: Partial<Batch['counts']>) => ({ ...none, ...changed })
  const until = new Date(Date.now() + 300_000).toISOString()
  const waiting: Batch = {
    ...batch,
    state: 'RUNNING',
    finishedAt: null,
    counts: counts({ SUCCEEDED: 1, FAILED: 1, PENDING: 2 }),
    waves: { sizes: [2], soakSeconds: 600, maxFailures: 0, minPluginSuccess: 90 },
    byWave: [
      { wave: 1, environments: ['production'], counts: counts({ SUCCEEDED: 1, FAILED: 1 }) },
      { wave: 2, environments: ['production'], counts: counts({ PENDING: 2 }) },
    ],
    waiting: {
      wave: 2,
      because: ['SOAK', 'FAILURES', 'PLUGINS'],
      until,
      plugins: [{ pluginId: 'tenants', success: 50 }],
    },
    may: { continue: true, stop: true },
  }
  const CONTINUE = 'POST /batches/{batchId}/continue'
  const { api } = await serveScope({
    'GET /batches/{batchId}': () => waiting,
    [ITEMS]: () => ({ items: items.slice(0, 1).map((item) => ({ ...item, wave: 1 })) }),
    [CONTINUE]: () => ({ batch: waiting }),
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  const steps = page.getByRole('list', { name: 'Waves' })
  await expect.element(steps.getByText('Wave 2')).toBeVisible()
  await expect.element(steps.getByRole('timer')).toBeVisible()
  await expect.element(page.getByText('Waits between waves')).toBeVisible()
  const why = page.getByRole('status').filter({ hasText: 'Wave 2 waits' })
  await expect.element(why).toMatchTextContent(/The soak time of wave 1 ends at/)
  await expect.element(why).toMatchTextContent(/Too many targets of wave 1 failed \(allowed: none\)/)
  await expect.element(why).toMatchTextContent(/50 % of the attempts of tenants .* At least 90 % are needed/)
  await page.getByRole('button', { name: 'Start wave 2 anyway' }).click()
  const dialog = page.getByRole('dialog')
  const start = dialog.getByRole('button', { name: 'Start wave 2 anyway' })
  await start.click({ force: true })
  expect(api.requests(CONTINUE)).toEqual([])
  await dialog.getByRole('textbox', { name: /Reason/ }).fill('The failure is known')
  await start.click()
  await expect
    .poll(() => api.requests(CONTINUE).map(({ body }) => body))
    .toEqual([{ wave: 2, reason: 'The failure is known' }])
})

test('a wave is started in spite of its conditions only by who may', async () => {
  await serveScope({
    'GET /batches/{batchId}': () => ({
      ...batch,
      state: 'RUNNING',
      finishedAt: null,
      waves: { sizes: [2], soakSeconds: 600, maxFailures: 0 },
      byWave: [],
      waiting: { wave: 2, because: ['FAILURES'], plugins: [] },
      may: { continue: false, stop: true },
    }),
    [ITEMS]: () => ({ items: [] }),
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  await expect.element(page.getByRole('button', { name: 'Stop' })).toBeEnabled()
  await expect.element(page.getByText('Waits between waves')).toBeVisible()
  const start = page.getByRole('button', { name: 'Start wave 2 anyway' })
  await expect.element(start).toBeDisabled()
  await expect.element(start).toHaveAccessibleDescription(/permission/)
})

test('after a batch was stopped, the page says who did, and has the focus, although its button is gone', async () => {
  let shown: Batch = { ...batch, state: 'RUNNING', finishedAt: null, may: { continue: true, stop: true } }
  await serveScope({
    'GET /batches/{batchId}': () => shown,
    [ITEMS]: () => ({ items: items.slice(0, 3) }),
    'POST /batches/{batchId}/stop': () => {
      shown = { ...batch, state: 'STOPPED', because: 'PERSON', stoppedBy: { id: 'mira', name: 'Mira' } }
      return { batch: shown }
    },
  })
  await renderConsole(`/batches/${BATCH_ID}`)
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
  await expect.element(page.getByText('Stopped', { exact: true })).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Stop' })).not.toBeInTheDocument()
  await expect.element(page.getByRole('main')).toHaveFocus()
  await expect.element(page.getByText(/^Mira stopped it/)).toBeVisible()
})
