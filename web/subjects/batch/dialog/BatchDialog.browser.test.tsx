import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { BatchPlan, PropertyView } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { invalidateEndpoints } from '../../../api/query.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import { queryClient } from '../../../app/query-client.ts'
import { batchWith } from '../../../testing/batch.ts'
import { scopeRowWith } from '../../../testing/scope-row.ts'
import { refusal, serveApi } from '../../../testing/api.ts'
import { renderInConsole } from '../../../testing/render.tsx'
import { changeRequestWith } from '../../../testing/change-request.ts'
import { againOf } from '../again.ts'
import { scopeOf } from '../bundle-targets.ts'
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
      bundle: { environmentKey: 'production', bundleId: 'crm' },
    },
    title: `CRM ${workspaceId}`,
    version: '1.0.0',
  }
})

type Problems = BatchPlan['items'][number]['problems']
const finished: Problems = [{ errorCode: 'NOT_FAILED', message: 'The operation did not fail.' }]

const planWith = (planToken: string, problemsOf: (id: string) => Problems): BatchPlan => ({
  broken: null,
  planToken,
  items: targets.map(({ id, installation, title, version }) => ({
    target: id,
    scope: scopeOf({ id, installation, title, version }),
    bundle: installation.bundle,
    installation: { ...installation, bundleInstallId: id },
    title,
    currentVersion: version,
    claim: null,
    changes: 0,
    values: [],
    resources: 2,
    failure: null,
    plugins: [],
    unchecked: [],
    problems: problemsOf(id),
  })),
})

const batch = batchWith({ counts: { PENDING: 2 } })

const open = (action: 'RETRY' | 'DETACH' | 'TAKEOVER') =>
  renderInConsole(<BatchDialog action={action} targets={targets} onClose={() => undefined} />)

test('a batch of which nothing can start is not sent', async () => {
  const api = await serveApi({ [PLAN]: () => planWith('first', () => finished), [CREATE]: () => ({ batch }) })
  await open('RETRY')
  await expect.element(page.getByText('0 will start, 2 are refused')).toBeVisible()
  const start = page.getByRole('button', { name: 'Retry', exact: true })
  await start.click({ force: true })
  await expect.element(start).toHaveFocus()
  await expect.element(start).toHaveAccessibleDescription('None of the targets can start.')
  expect(api.requests(CREATE)).toEqual([])
})

test('the operation that locks a target is a link in the plan', async () => {
  const operationId = '01920000-0000-7000-8000-0000000000d1'
  const locked: Problems = [
    {
      errorCode: 'OPERATION_IN_PROGRESS',
      message: `The UPGRADE operation ${operationId} of bundle crm has not finished.`,
      parameters: { reason: 'lockedByRunning', operationType: 'UPGRADE', operationId, bundle: 'crm' },
    },
  ]
  await serveApi({ [PLAN]: () => planWith('first', (id) => (id === targets[0]?.id ? locked : [])) })
  await open('DETACH')
  const item = page.getByRole('listitem').filter({ hasText: 'crm is locked by the' })
  await expect
    .element(item.getByRole('link', { name: 'Upgrade operation' }))
    .toHaveAttribute('href', `/operations/${operationId}`)
  await expect.element(page.getByText(operationId)).not.toBeInTheDocument()
})

test('the plan warns of plugins without the report that the environment asks for, and can be started', async () => {
  const planned = planWith('token', () => [])
  const [first] = planned.items
  if (first === undefined) throw new Error('The plan has no items')
  first.unchecked = [{ pluginId: 'tenants', version: '2.4.0', policy: 'WARN', reason: 'NO_REPORT' }]
  await serveApi({ [PLAN]: () => planned, [CREATE]: () => ({ batch }) })
  await open('RETRY')
  const plan = page.getByRole('region', { name: 'What will happen' })
  await expect.element(plan.getByText('tenants: no plugin-check report of version 2.4.0')).toBeVisible()
  await expect.element(page.getByRole('button', { name: /^Retry/ })).toBeEnabled()
})

test('a batch that needs a reason is not sent without one', async () => {
  const api = await serveApi({ [PLAN]: () => planWith('first', () => []), [CREATE]: () => ({ batch }) })
  const screen = await open('DETACH')
  await page.getByRole('button', { name: 'Detach 2 installations' }).click({ force: true })
  const reason = page.getByRole('textbox', { name: /Reason/ })
  await expect.element(reason).toHaveFocus()
  expect(api.requests(CREATE)).toEqual([])
  await userEvent.fill(reason, 'The pilot is over')
  const detach = page.getByRole('button', { name: 'Detach 2 installations' })
  const typed = page.getByRole('textbox', { name: /^Type 2 to confirm/ })
  await userEvent.fill(typed, '1')
  await detach.click({ force: true })
  expect(api.requests(CREATE)).toEqual([])
  await expect
    .element(page.getByText('2 installations will be detached. This cannot be undone.'))
    .toBeVisible()
  await expect.element(page.getByText('4 resources are detached with them.')).toBeVisible()
  await userEvent.fill(typed, '2')
  await detach.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([
    { action: 'DETACH', reason: 'The pilot is over', planToken: 'first' },
  ])
})

test('a batch that a freeze or a policy refuses is made all the same by a person who may override it, with a reason', async () => {
  const refused: Problems = [{ errorCode: 'CHANGES_FROZEN', message: 'Changes are frozen.' }]
  const api = await serveApi({
    'GET /session': () => ({
      user: { id: 'olivia', name: 'Olivia' },
      roles: ['admin'],
      permissions: ['change:override'],
      grants: [{ permissions: ['change:override'], scope: null }],
      environmentMarks: [],
    }),
    [PLAN]: ({ body }) =>
      planWith('first', () => (Reflect.get(body as object, 'override') === true ? [] : refused)),
    [CREATE]: () => ({ batch }),
  })
  const screen = await open('RETRY')
  await expect.element(page.getByText('0 will start, 2 are refused')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Override: make the change now' }).click()
  await page.getByRole('button', { name: 'Retry 2 operations' }).click({ force: true })
  expect(api.requests(CREATE)).toEqual([])
  await userEvent.fill(page.getByRole('textbox', { name: /Reason/ }), 'Mail is down')
  await page.getByRole('button', { name: 'Retry 2 operations' }).click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([
    { action: 'RETRY', override: true, reason: 'Mail is down' },
  ])
})

test('what needs an approval is not refused in a batch of which a change request is made', async () => {
  const needed: Problems = [{ errorCode: 'APPROVAL_REQUIRED', message: 'An approval is required.' }]
  await serveApi({ [PLAN]: () => planWith('first', (id) => (id === targets[0]!.id ? needed : [])) })
  await open('DETACH')
  await expect.element(page.getByText('2 are in the request')).toBeVisible()
  await expect.element(page.getByText(/a change request is made of the whole batch/)).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Request review' })).toBeInTheDocument()
  expect(page.getByText(/refused|will start/).elements()).toEqual([])
})

test('the batch of a change request is edited in the dialog, and stored in the request', async () => {
  const edit = 'PATCH /change-requests/{changeRequestId}'
  const input = { action: 'DETACH' as const, targets: targets.map(({ id }) => id), first: 1 }
  const request = changeRequestWith({ input })
  const api = await serveApi({ [PLAN]: () => planWith('first', () => []), [edit]: () => refusal({}) })
  const { items } = planWith('first', () => [])
  const again = againOf(
    { ...input, input: { targetVersion: null, properties: [] }, reason: request.reason },
    items,
  )
  await renderInConsole(
    <BatchDialog
      action="DETACH"
      targets={again.targets}
      again={again}
      edited={request}
      onClose={() => undefined}
    />,
  )
  await expect.element(page.getByText('You are editing the change request “Detach the pilots”')).toBeVisible()
  await userEvent.fill(page.getByRole('textbox', { name: /^Type \d to confirm/ }), '2')
  await userEvent.fill(page.getByRole('textbox', { name: 'Stop after failures' }), '2')
  await page.getByRole('button', { name: 'Save change request' }).click()
  await expect
    .poll(() => api.requests(edit).map(({ body }) => body))
    .toEqual([
      {
        kind: 'BATCH',
        revision: 3,
        reason: 'The pilot is over',
        input: { ...input, concurrency: 5, stopAfterFailures: 2 },
      },
    ])
})

test('a retry warns of failures that are not retryable, with their number', async () => {
  const planned = planWith('first', () => [])
  planned.items[0]!.failure = { errorCode: 'PLUGIN_REPORTED_FAILURE', retryable: false }
  planned.items[1]!.failure = { errorCode: 'PLUGIN_TIMEOUT', retryable: true }
  await serveApi({ [PLAN]: () => planned })
  await open('RETRY')
  await expect.element(page.getByText('1 of 2 failures is marked as not retryable')).toBeVisible()
})

test('the code of a plugin is not described as an error of the console', async () => {
  const planned = planWith('first', () => [])
  for (const item of planned.items) item.failure = { errorCode: 'AUTHENTICATION_REQUIRED', retryable: false }
  await serveApi({ [PLAN]: () => planned })
  await open('RETRY')
  await expect.element(page.getByText('AUTHENTICATION_REQUIRED (2)')).toBeVisible()
})

test('a takeover says what it ends and calls, and needs a reason and the number of its targets', async () => {
  const planned = planWith('first', (id) => (id === targets[1]!.id ? finished : []))
  planned.items[0]!.failure = { errorCode: 'PLUGIN_REPORTED_FAILURE', retryable: false }
  planned.items[0]!.plugins = ['tenants', 'hooks']
  const api = await serveApi({ [PLAN]: () => planned, [CREATE]: () => ({ batch }) })
  const screen = await open('TAKEOVER')
  const dialog = page.getByRole('dialog', { name: 'Take over 2 operations' })
  await expect.element(page.getByText('1 will start, 1 is refused')).toBeVisible()
  await expect
    .element(dialog)
    .toHaveAccessibleDescription(/1 failed operation will be taken over.*cannot be undone.*never be retried/)
  await expect
    .element(dialog)
    .toMatchTextContent(/The detach operation calls tenants, hooks, in this order\./)
  const start = page.getByRole('button', { name: 'Take over and detach 1 installation' })
  await expect.element(start).toHaveAccessibleDescription('Enter a reason first.')
  await page.getByRole('textbox', { name: /^Reason/ }).fill('Ticket 4711')
  await expect.element(start).toHaveAccessibleDescription('Type 1 to confirm')
  const count = page.getByRole('textbox', { name: /^Type 1 to confirm/ })
  await expect.element(count).toBeRequired()
  await count.fill('2')
  await start.click({ force: true })
  expect(api.requests(CREATE)).toEqual([])
  await count.fill('1')
  await start.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([
    { action: 'TAKEOVER', targets: targets.map(({ id }) => id), reason: 'Ticket 4711', planToken: 'first' },
  ])
})

const text = (title: string, required = false) => ({
  kind: 'DATA' as const,
  schema: { type: 'string', title } as { type: string; title: string; description?: string },
  ...(required && { required }),
})
const manifestOf = (version: string, properties: Record<string, ReturnType<typeof text>>) => ({
  bundle: { environmentKey: 'production', bundleId: 'crm' },
  version,
  title: 'CRM',
  resources: [{ kind: 'MODULE' as const, name: 'main', moduleId: 'main', title: 'Core', properties }],
  plugins: [],
})
const published = (version: string) => ({
  bundle: { environmentKey: 'production', bundleId: 'crm' },
  version,
  title: 'CRM',
  publishedAt: '2026-11-22T08:00:00.000Z',
  publishedBy: { id: 'olivia', name: 'Olivia' },
})
const MAIN = 'production/crm/MODULE/main'
const VERSION = 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'

test('an upgrade asks for what any target needs, and replaces no value unless a person chose so', async () => {
  const missing: Problems = [
    {
      locator: MAIN,
      property: 'region',
      errorCode: 'PROPERTY_INVALID',
      message: 'This version requires a value. Enter one.',
      parameters: { reason: 'propertyMissing' },
    },
  ]
  const api = await serveApi({
    // the first target has a value
    [PLAN]: ({ body }) =>
      planWith('first', (id) =>
        id === targets[0]!.id || 'fill' in (body as { input: object }).input ? [] : missing,
      ),
    'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
      items: ['2.0.0', '1.0.0'].map(published),
      nextCursor: null,
    }),
    [VERSION]: () => manifestOf('2.0.0', { region: text('Region', true) }),
    [CREATE]: () => ({ batch }),
  })
  await renderInConsole(<BatchDialog action="UPGRADE" targets={targets} onClose={() => undefined} />)
  const region = page.getByRole('textbox', { name: 'Region' })
  await userEvent.fill(region, 'eu')
  await expect.element(page.getByText(/1 of 2 installations has no value/)).toBeVisible()
  const inputs = () => api.requests(PLAN).map(({ body }) => (body as { input: object }).input)
  const given = { [MAIN]: { region: { '@type': 'Data', value: 'eu' } } }
  await expect.poll(() => inputs().at(-1)).toEqual({ targetVersion: '2.0.0', fill: given })
  await page.getByRole('checkbox', { name: 'Set Region in all 2 installations' }).click()
  await expect.poll(() => inputs().at(-1)).toEqual({ targetVersion: '2.0.0', properties: given })
})

test.for([
  [
    'Upgrade 2 installations of CRM 1: 2.0.0, production',
    'Upgrade 2 installations of CRM 1: 3.0.0, production',
  ],
  ['The second wave of pilots', undefined],
] as const)(
  'an edited upgrade names its version in a title that it was given, and keeps one that a person wrote: “%s”',
  async ([title, now]) => {
    const edit = 'PATCH /change-requests/{changeRequestId}'
    const input = { action: 'UPGRADE' as const, targets: targets.map(({ id }) => id) }
    const request = changeRequestWith({ title, input })
    const api = await serveApi({
      [PLAN]: () => planWith('first', () => []),
      'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
        items: ['3.0.0', '2.0.0', '1.0.0'].map(published),
        nextCursor: null,
      }),
      [VERSION]: () => manifestOf('2.0.0', {}),
      [edit]: () => refusal({}),
    })
    const { items } = planWith('first', () => [])
    const again = againOf(
      { ...input, input: { targetVersion: '2.0.0', properties: [] }, reason: null },
      items,
    )
    const edited = { again, edited: request, targets: again.targets }
    await renderInConsole(<BatchDialog action="UPGRADE" {...edited} onClose={() => undefined} />)
    await expect.element(page.getByText('2 are in the request')).toBeVisible()
    await page.getByRole('combobox', { name: 'New version' }).selectOptions('3.0.0')
    const body = { input: { targetVersion: '3.0.0' } }
    await expect.poll(() => api.requests(PLAN).at(-1)).toMatchObject({ body })
    // a plan on its way has no number
    await expect.element(page.getByText('2 are in the request')).toBeVisible()
    await page.getByRole('button', { name: 'Save change request' }).click()
    await expect.poll(() => api.requests(edit)).toHaveLength(1)
    expect(api.requests(edit)[0]?.body).toMatchObject({ input: body })
    expect(Reflect.get(Object(api.requests(edit)[0]?.body), 'title')).toBe(now)
  },
)

test('an upgrade of targets that have the newest release begins without a version', async () => {
  const api = await serveApi({
    [PLAN]: () => planWith('first', () => []),
    'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
      items: ['1.1.0-beta.1', '1.0.0'].map(published),
      nextCursor: null,
    }),
    [VERSION]: () => manifestOf('1.1.0-beta.1', {}),
  })
  await renderInConsole(<BatchDialog action="UPGRADE" targets={targets} onClose={() => undefined} />)
  const version = page.getByRole('combobox', { name: 'New version' })
  await expect.element(version).toMatchTextContent(/1\.1\.0-beta\.1/)
  await expect.element(version).toHaveDisplayValue('Choose a version')
  expect(api.requests(PLAN)).toEqual([])
  await version.selectOptions('1.1.0-beta.1')
  await expect.element(page.getByRole('button', { name: 'Upgrade 2 installations' })).toBeVisible()
})

test('the plan of an upgrade names what each target gets and loses, once it is opened', async () => {
  const value = (of: string) => ({ '@type': 'Data' as const, value: of })
  const set = { locator: MAIN, property: 'region', before: value('us'), after: value('eu') }
  const api = await serveApi({
    [PLAN]: () => {
      // the second target is refused, which is no reason to hide what it would get
      const plan = planWith('first', (id) => (id === targets[1]!.id ? finished : []))
      return { ...plan, items: plan.items.map((item) => ({ ...item, changes: 2, values: [set] })) }
    },
    'POST /installations/{bundleInstallId}/upgrade/plan': () => ({
      planToken: 'one',
      operationType: 'UPGRADE',
      scope: scopeOf(targets[0]!),
      installation: null,
      currentVersion: '1.0.0',
      targetVersion: '2.0.0',
      snapshotVersion: 1,
      claim: null,
      resources: [],
      stages: [],
      problems: [],
      changes: [{ locator: MAIN, property: 'legacyMode', before: value('on'), after: null }],
    }),
    'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
      items: [published('2.0.0')],
      nextCursor: null,
    }),
    [VERSION]: () => manifestOf('2.0.0', { region: text('Region', true) }),
  })
  await renderInConsole(<BatchDialog action="UPGRADE" targets={targets} onClose={() => undefined} />)
  const row = page.getByRole('listitem').filter({ hasText: 'CRM 2' })
  const replaces = row.getByText(/^Replaces the value of region/i)
  await expect.element(replaces).toBeVisible()
  await row.getByText('2 values change').click()
  const changes = row.getByRole('list', { name: 'Changed values' })
  await expect.element(changes).toMatchTextContent(/Region.*eu.*legacyMode.*on/s)
  // what is replaced is in the list, and not again below it
  await expect.element(replaces).not.toBeInTheDocument()
  // only for the row that was opened
  const asked = api.requests('POST /installations/{bundleInstallId}/upgrade/plan')
  expect(new Set(asked.map(({ params }) => params['bundleInstallId']))).toEqual(new Set([targets[1]!.id]))
})

test('a missing value is not a mistake until something is entered, and a plan on its way has no number', async () => {
  const missing: Problems = [
    {
      locator: MAIN,
      property: 'region',
      errorCode: 'PROPERTY_INVALID',
      message: 'This version requires a value. Enter one.',
      parameters: { reason: 'propertyMissing' },
    },
  ]
  const planned = Promise.withResolvers<BatchPlan>()
  await serveApi({
    [PLAN]: ({ body }) =>
      'fill' in (body as { input: object }).input ? planned.promise : planWith('first', () => missing),
    'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
      items: ['2.0.0', '1.0.0'].map(published),
      nextCursor: null,
    }),
    [VERSION]: () => manifestOf('2.0.0', { region: text('Region', true) }),
  })
  await renderInConsole(<BatchDialog action="UPGRADE" targets={targets} onClose={() => undefined} />)
  const plan = page.getByRole('region', { name: 'What will happen' })
  const state = plan.getByRole('status')
  const start = page.getByRole('button', { name: /^Upgrade/ })
  await expect.element(state).toHaveTextContent('2 need values')
  await expect.element(start).toHaveAccessibleName('Upgrade')
  await userEvent.fill(page.getByRole('textbox', { name: 'Region' }), 'eu')
  await expect.element(state).toHaveTextContent('Checking…')
  // the last plan stays in view
  await expect.element(plan.getByRole('listitem').first()).toBeVisible()
  await expect.element(start).toHaveAccessibleName('Upgrade')
  planned.resolve(planWith('second', () => missing))
  await expect.element(state).toHaveTextContent('0 will start, 2 are refused')
  await expect.element(start).toHaveAccessibleName('Upgrade')
})

test('the properties to set are those of all versions, also if the first target has none', async () => {
  const mixed: BatchTarget[] = [
    { ...targets[0]!, version: null },
    { ...targets[1]!, version: '1.0.0' },
  ]
  await serveApi({
    [VERSION]: () => manifestOf('1.0.0', { name: text('Name') }),
    [PLAN]: () => planWith('first', () => []),
  })
  const screen = await renderInConsole(
    <BatchDialog action="CONFIGURE" targets={mixed} onClose={() => undefined} />,
  )
  await expect.element(page.getByRole('option', { name: 'Core · Name (1 of 2)' })).toBeInTheDocument()
  await screen.unmount()
  const none = mixed.map((target) => ({ ...target, version: null }))
  await renderInConsole(<BatchDialog action="CONFIGURE" targets={none} onClose={() => undefined} />)
  await expect.element(page.getByText(/None of these installations has a version yet/).first()).toBeVisible()
})

test('a batch with an invalid limit is not sent', async () => {
  const api = await serveApi({ [PLAN]: () => planWith('first', () => []), [CREATE]: () => ({ batch }) })
  const screen = await open('RETRY')
  const start = page.getByRole('button', { name: 'Retry 2 operations' })
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
  const start = page.getByRole('button', { name: 'Retry 2 operations' })
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

test('a batch starts without the targets that the person may not change', async () => {
  const denied: Problems = [{ errorCode: 'PERMISSION_DENIED', message: 'You may not do this here.' }]
  const [first, second] = targets
  const api = await serveApi({
    [PLAN]: () => planWith('first', (id) => (id === second?.id ? denied : [])),
    [CREATE]: () => ({ batch }),
  })
  const screen = await open('RETRY')
  await expect.element(page.getByText('1 will start, 1 is refused')).toBeVisible()
  await page.getByRole('button', { name: /^Retry/ }).click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([{ targets: [first?.id] }])
})

test('each target gets a value of its own, in its own field; a target without one is left as it is', async () => {
  const port = { kind: 'DATA' as const, schema: { type: 'integer', title: 'Port' } }
  const three = [
    ...targets,
    { ...targets[0]!, id: 'third', installation: { ...targets[0]!.installation, workspaceId: 3 } },
  ]
  const denied: Problems = [{ errorCode: 'PERMISSION_DENIED', message: 'You may not do this here.' }]
  const api = await serveApi({
    [VERSION]: () => ({
      ...manifestOf('1.0.0', {}),
      resources: [{ ...manifestOf('1.0.0', {}).resources[0]!, properties: { port } }],
    }),
    [PLAN]: () => planWith('first', (id) => (id === targets[1]!.id ? denied : [])),
    [CREATE]: () => ({ batch }),
  })
  const screen = await renderInConsole(
    <BatchDialog
      action="CONFIGURE"
      targets={three}
      property={{
        locator: MAIN,
        property: 'port',
        values: new Map([[targets[0]!.id, { '@type': 'Data', value: 25 }]]),
      }}
      onClose={() => undefined}
    />,
  )
  await page.getByText('A value for each').click()
  await expect.element(page.getByRole('textbox', { name: 'production/eu/1' })).toHaveValue('25')
  await userEvent.fill(page.getByRole('textbox', { name: 'production/eu/1' }), '26')
  await userEvent.fill(page.getByRole('textbox', { name: 'production/eu/2' }), '27')
  const own = (value: number) => ({ [MAIN]: { port: { '@type': 'Data', value } } })
  await expect
    .poll(() => api.requests(PLAN).at(-1)?.body)
    .toEqual({
      action: 'CONFIGURE',
      targets: targets.map(({ id }) => id),
      input: { values: { [targets[0]!.id]: own(26), [targets[1]!.id]: own(27) } },
    })
  await page.getByRole('button', { name: 'Save in 1 installation' }).click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  // not the value of the target that is left out
  expect(api.requests(CREATE)[0]?.body).toMatchObject({
    targets: [targets[0]!.id],
    input: { values: { [targets[0]!.id]: own(26) } },
  })
  expect(JSON.stringify(api.requests(CREATE)[0]?.body)).not.toContain('27')
})

const integer = (title: string) => ({ kind: 'DATA' as const, schema: { type: 'integer', title } })
const mailOf = (environmentKey = 'production') => {
  const manifest = manifestOf('1.0.0', {})
  const properties = { port: integer('Port'), seats: integer('Seats') }
  return {
    ...manifest,
    bundle: { environmentKey, bundleId: 'crm' },
    resources: [{ ...manifest.resources[0]!, properties }],
  }
}
const valuesOf = (value: number) =>
  new Map(targets.map(({ id }) => [id, { '@type': 'Data' as const, value }]))

test('the field of another property shows no value of the property that the dialog was opened for', async () => {
  await serveApi({ [VERSION]: () => mailOf(), [PLAN]: () => planWith('first', () => []) })
  await renderInConsole(
    <BatchDialog
      action="CONFIGURE"
      targets={targets}
      property={{ locator: MAIN, property: 'port', values: valuesOf(25) }}
      onClose={() => undefined}
    />,
  )
  await page.getByText('A value for each').click()
  const field = page.getByRole('textbox', { name: 'production/eu/1' })
  await expect.element(field).toHaveValue('25')
  const property = page.getByRole('combobox', { name: 'Property' })
  await property.selectOptions('Core · Seats')
  await expect.element(page.getByRole('region', { name: 'Core · Seats' })).toBeVisible()
  await expect.element(field).toHaveValue('')
  // nor that it has none, which is not known
  await expect.element(field).not.toHaveAttribute('placeholder', 'Not set')
  await property.selectOptions('Core · Port')
  await expect.element(field).toHaveValue('25')
})

test('the field for all targets says what they have now', async () => {
  const password = { ...text('Password', true), isSensitive: true as const }
  await serveApi({
    [VERSION]: () => manifestOf('1.0.0', { port: integer('Port'), password }),
    [PLAN]: () => planWith('first', () => []),
  })
  const opened = (property: string, value: PropertyView) => openedWith(property, [value, value])
  const openedWith = (property: string, values: (PropertyView | null)[]) =>
    renderInConsole(
      <BatchDialog
        action="CONFIGURE"
        targets={targets}
        property={{
          locator: MAIN,
          property,
          values: new Map(targets.map(({ id }, index) => [id, values[index] ?? null])),
        }}
        onClose={() => undefined}
      />,
    )
  const first = await opened('password', { '@type': 'Data', isSensitive: true, isSet: true })
  await expect.element(page.getByRole('button', { name: 'Replace Password' })).toBeVisible()
  await expect.element(page.getByText('No value is set.')).not.toBeInTheDocument()
  await first.unmount()
  const port = await opened('port', { '@type': 'Data', value: 25 })
  await expect.element(page.getByRole('textbox', { name: 'Port' })).toHaveValue('25')
  await expect.element(page.getByText('current value')).toBeVisible()
  await port.unmount()
  // only some have a secret
  await openedWith('password', [{ '@type': 'Data', isSensitive: true, isSet: true }, null])
  await expect.element(page.getByRole('button', { name: 'Set value Password' })).toBeVisible()
  for (const wrong of ['A value is set.', 'No value is set.', 'current value'])
    expect(page.getByText(wrong).elements()).toEqual([])
})

test('a value of its own is called missing only where it is, and the help of the property is shown once', async () => {
  const missing: Problems = [
    {
      locator: MAIN,
      property: 'region',
      errorCode: 'PROPERTY_INVALID',
      message: 'This version requires a value. Enter one.',
      parameters: { reason: 'propertyMissing' },
    },
  ]
  const region = text('Region', true)
  await serveApi({
    // the first target has a value
    [PLAN]: () => planWith('first', (id) => (id === targets[1]!.id ? missing : [])),
    'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
      items: [published('2.0.0')],
      nextCursor: null,
    }),
    [VERSION]: () =>
      manifestOf('2.0.0', { region: { ...region, schema: { ...region.schema, description: 'Of the law' } } }),
  })
  await renderInConsole(<BatchDialog action="UPGRADE" targets={targets} onClose={() => undefined} />)
  await page.getByText('A value for each').click()
  const fieldOf = (scope: string) => page.getByRole('textbox', { name: scope })
  await expect.element(fieldOf('production/eu/2')).toHaveAttribute('placeholder', 'Not set')
  await expect.element(fieldOf('production/eu/1')).not.toHaveAttribute('placeholder', 'Not set')
  await expect.element(page.getByText('Of the law')).toBeVisible()
  expect(page.getByText('current value').elements()).toEqual([])
})

test('edits to begin with are those of the targets in every bundle environment', async () => {
  const elsewhere = targets.map((target, index) => {
    const { installation } = target
    const environmentKey = index === 0 ? 'production' : 'staging'
    return { ...target, installation: { ...installation, bundle: { environmentKey, bundleId: 'crm' } } }
  })
  const api = await serveApi({
    [VERSION]: ({ params }) => mailOf(params['environmentKey']),
    [PLAN]: () => planWith('first', () => []),
  })
  await renderInConsole(
    <BatchDialog
      action="CONFIGURE"
      targets={elsewhere}
      property={{
        locator: MAIN,
        property: 'port',
        values: valuesOf(25),
        edits: new Map(
          targets.map(({ id }) => [id, { kind: 'set' as const, value: { '@type': 'Data', value: 26 } }]),
        ),
      }}
      onClose={() => undefined}
    />,
  )
  const own = (environment: string) => ({
    [`${environment}/crm/MODULE/main`]: { port: { '@type': 'Data', value: 26 } },
  })
  await expect
    .poll(() => api.requests(PLAN).at(-1)?.body)
    .toEqual({
      action: 'CONFIGURE',
      targets: targets.map(({ id }) => id),
      input: { values: { [targets[0]!.id]: own('production'), [targets[1]!.id]: own('staging') } },
    })
})

test('properties of several bundles are set in one batch, and one that they share is entered once', async () => {
  const [first, second] = targets
  if (first === undefined || second === undefined) throw new Error('There are no targets')
  const billing = { environmentKey: 'production', bundleId: 'billing' }
  const mixed: BatchTarget[] = [
    first,
    { ...second, title: 'Billing', installation: { ...second.installation, bundle: billing } },
  ]
  const secret = { ...text('Token'), isSensitive: true }
  const api = await serveApi({
    [VERSION]: ({ params }) =>
      params['bundleId'] === 'crm'
        ? manifestOf('1.0.0', { region: text('Region'), token: text('Token') })
        : { ...manifestOf('1.0.0', { region: text('Region'), token: secret }), bundle: billing },
    [PLAN]: () => planWith('first', () => []),
    [CREATE]: () => ({ batch }),
  })
  const screen = await renderInConsole(
    <BatchDialog action="CONFIGURE" targets={mixed} onClose={() => undefined} />,
  )
  const start = page.getByRole('button', { name: /^Save in/ })
  await page.getByLabelText('Property', { exact: true }).selectOptions('Core · Region')
  await userEvent.fill(page.getByRole('textbox', { name: 'Region' }), 'eu')
  const bodies = () => api.requests(PLAN).map(({ body }) => body)
  const region = { region: { '@type': 'Data', value: 'eu' } }
  await expect
    .poll(() => bodies().at(-1))
    .toEqual({
      action: 'CONFIGURE',
      targets: [first.id, second.id],
      input: {
        values: {
          [first.id]: { [MAIN]: region },
          [second.id]: { 'production/billing/MODULE/main': region },
        },
      },
    })

  await page.getByRole('button', { name: 'Add property' }).click()
  const added = page.getByLabelText('Property 2')
  await expect.element(added).toHaveFocus()
  // not that of the other bundle, which is a secret
  const tokens = added.getByRole('option', { name: 'Core · Token (1 of 2)' })
  expect(tokens.elements().map((option) => option.closest('optgroup')?.label)).toEqual(['CRM 1', 'Billing'])
  await added.selectOptions(fieldId(MAIN, 'token'))
  await expect.element(page.getByText(/1 of the installations does not have this property/)).toBeVisible()
  await expect.element(start).toHaveAccessibleDescription('Enter a value for Core · Token, or remove it.')
  // a press says it at the field, and starts nothing without it
  await start.click({ force: true })
  const token = page.getByRole('textbox', { name: 'Token' })
  await expect.element(token).toHaveFocus()
  await expect.element(token).toHaveAccessibleDescription(/Enter a value for Core · Token/)
  expect(api.requests(CREATE)).toEqual([])
  await userEvent.fill(page.getByRole('textbox', { name: 'Token' }), 'abc')
  await expect
    .poll(() => bodies().at(-1))
    .toMatchObject({
      input: {
        values: {
          [first.id]: { [MAIN]: { ...region, token: { '@type': 'Data', value: 'abc' } } },
          [second.id]: { 'production/billing/MODULE/main': region },
        },
      },
    })
  await page.getByRole('button', { name: 'Remove Core · Token' }).click()
  await expect.element(page.getByRole('button', { name: 'Add property' })).toHaveFocus()
  await start.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(JSON.stringify(api.requests(CREATE).map(({ body }) => body))).not.toContain('abc')
})

test('an install is into the chosen scopes, with the values that the version requires and others for each', async () => {
  const scope = (workspaceId: number) => ({
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId,
  })
  const missing: Problems = [
    {
      locator: MAIN,
      property: 'region',
      errorCode: 'PROPERTY_INVALID',
      message: 'This version requires a value. Enter one.',
      parameters: { reason: 'propertyMissing' },
    },
  ]
  const api = await serveApi({
    [PLAN]: ({ body }) => {
      const { targets: wanted, input } = body as { targets: string[]; input: object }
      return {
        ...planWith('token', () => []),
        items: wanted.map((target) => ({
          ...planWith('token', () => []).items[0]!,
          target,
          scope: scope(Number(target.split('/')[2])),
          installation: null,
          problems: 'properties' in input ? [] : missing,
        })),
      }
    },
    'GET /scopes': () => ({
      items: [1, 2, 3].map((workspaceId) => scopeRowWith(scope(workspaceId))),
      nextCursor: null,
    }),
    'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
      items: ['2.0.0', '1.0.0'].map(published),
      nextCursor: null,
    }),
    [VERSION]: () => manifestOf('1.0.0', { region: text('Region', true), label: text('Label') }),
    [CREATE]: () => ({ batch }),
  })
  const screen = await renderInConsole(
    <BatchDialog
      action="INSTALL"
      targets={[]}
      install={{
        bundle: { environmentKey: 'production', bundleId: 'crm' },
        title: 'CRM',
        version: '1.0.0',
      }}
      onClose={() => undefined}
    />,
  )
  const scopes = page.getByRole('combobox', { name: 'Scopes' })
  await scopes.fill('production')
  await page.getByRole('option', { name: 'Add all 3 scopes that match' }).click()
  await page.getByRole('button', { name: 'Remove production/eu/3' }).click()
  await expect.element(scopes).toHaveFocus()
  const start = page.getByRole('button', { name: /^Install/ })
  await expect.element(page.getByText('2 need values')).toBeVisible()
  await page.getByRole('textbox', { name: 'Region' }).fill('eu')
  await page.getByRole('button', { name: 'Add property' }).click()
  const property = page.getByRole('combobox', { name: 'Property' })
  await property.selectOptions('Core · Label')
  // what the version requires is asked for above
  expect(property.element().textContent).not.toContain('Region')
  await page.getByText('A value for each').last().click()
  await page.getByRole('textbox', { name: 'production/eu/2' }).fill('second')
  // the plan is the one for the last value
  await expect.poll(() => JSON.stringify(api.requests(PLAN).at(-1)?.body)).toContain('second')
  await expect.element(page.getByText('2 will start')).toBeVisible()
  await expect.element(start).toHaveAccessibleName('Install in 2 scopes')
  await start.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toEqual([
    {
      action: 'INSTALL',
      targets: ['production/eu/1', 'production/eu/2'],
      concurrency: 5,
      planToken: 'token',
      input: {
        bundle: { environmentKey: 'production', bundleId: 'crm' },
        targetVersion: '1.0.0',
        properties: { [MAIN]: { region: { '@type': 'Data', value: 'eu' } } },
        values: { 'production/eu/2': { [MAIN]: { label: { '@type': 'Data', value: 'second' } } } },
      },
    },
  ])
})

test('the field waits for the value that the targets have, which would change what somebody types', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await serveApi({
    [VERSION]: () => mailOf(),
    [PLAN]: () => planWith('first', () => []),
    'GET /properties': async () => {
      await promise
      return { items: [], nextCursor: null }
    },
  })
  await renderInConsole(<BatchDialog action="CONFIGURE" targets={targets} onClose={() => undefined} />)
  await page.getByLabelText('Property', { exact: true }).selectOptions('Core · Port')
  await expect.element(page.getByRole('textbox', { name: 'Port' })).toHaveAttribute('readonly')
  resolve()
  await expect.element(page.getByRole('textbox', { name: 'Port' })).not.toHaveAttribute('readonly')
})

/** One property of each target, with these values. */
const rowsOf = (property: string, definition: PropertyDefinition, values: readonly (PropertyView | null)[]) =>
  targets.map(({ id, installation }, index) => ({
    installation: { ...installation, bundleInstallId: id },
    title: 'CRM',
    version: '1.0.0',
    claim: null,
    locator: MAIN,
    resourceTitle: 'Core',
    property,
    definition,
    writtenBy: null,
    value: values[index] ?? null,
    origin: values[index] == null ? null : ('setHere' as const),
    manager: null,
    lastChange: null,
  }))

test('a value for each begins with the value that each target has now', async () => {
  const api = await serveApi({
    [VERSION]: () => mailOf(),
    [PLAN]: () => planWith('first', () => []),
    'GET /properties': () => ({
      items: rowsOf('port', integer('Port'), [{ '@type': 'Data', value: 25 }, null]),
      nextCursor: null,
    }),
  })
  await renderInConsole(<BatchDialog action="CONFIGURE" targets={targets} onClose={() => undefined} />)
  await page.getByLabelText('Property', { exact: true }).selectOptions('Core · Port')
  await expect.poll(() => api.requests('GET /properties')).toHaveLength(1)
  // they differ
  await expect.element(page.getByRole('textbox', { name: 'Port' })).toHaveValue('')
  expect(page.getByText('current value').elements()).toEqual([])
  await page.getByText('A value for each').click()
  await expect.element(page.getByRole('textbox', { name: 'production/eu/1' })).toHaveValue('25')
  await expect.element(page.getByRole('textbox', { name: 'production/eu/2' })).toHaveValue('')
  expect(Object.fromEntries(api.requests('GET /properties')[0]?.query ?? [])).toMatchObject({
    bundleEnvironmentKey: 'production',
    bundleId: 'crm',
    kind: 'MODULE',
    resource: 'main',
    property: 'port',
  })
})

test('a list that differs between the targets is not called unset, as one that none of them has', async () => {
  const list = { kind: 'DATA' as const, schema: { type: 'array' as const, title: 'Languages', items: {} } }
  let values: readonly PropertyView[] = [
    { '@type': 'Data', value: ['en'] },
    { '@type': 'Data', value: ['zh'] },
  ]
  await serveApi({
    [VERSION]: () => manifestOf('1.0.0', { languages: list }),
    [PLAN]: () => planWith('first', () => []),
    'GET /properties': () => ({ items: rowsOf('languages', list, values), nextCursor: null }),
  })
  const show = async () => {
    const screen = await renderInConsole(
      <BatchDialog action="CONFIGURE" targets={targets} onClose={() => undefined} />,
    )
    await page.getByLabelText('Property', { exact: true }).selectOptions('Core · Languages')
    return screen
  }
  const field = page.getByRole('group', { name: 'Languages' }).first()
  const screen = await show()
  await expect.element(field).toMatchTextContent(/Not shown/)
  await screen.unmount()
  queryClient.clear()
  values = []
  await show()
  await expect.element(field).toMatchTextContent(/Not set/)
})

test('targets that have changed since the plan come first, with what others have saved', async () => {
  const second = targets[1]!
  let saved = 'Second'
  const planNow = (planToken: string): BatchPlan => {
    const plan = planWith(planToken, () => [])
    const items = plan.items.map((item) => ({
      ...item,
      changes: 1,
      values: [
        {
          locator: MAIN,
          property: 'name',
          before: { '@type': 'Data' as const, value: item.target === second.id ? saved : 'First' },
          after: { '@type': 'Data' as const, value: 'Mine' },
        },
      ],
    }))
    return { ...plan, items }
  }
  const api = await serveApi({
    [VERSION]: () => manifestOf('1.0.0', { name: text('Name') }),
    [PLAN]: () => planNow(saved),
    [CREATE]: ({ body }) => {
      if ((body as { planToken: string }).planToken === saved && saved !== 'Second') return { batch }
      saved = 'Theirs'
      return refusal({
        status: 409,
        code: 'PLAN_STALE',
        // the position among the targets that were sent
        details: [{ path: 'body.targets.1', errorCode: 'PLAN_STALE', message: 'The target has changed.' }],
      })
    },
  })
  const screen = await renderInConsole(
    <BatchDialog action="CONFIGURE" targets={targets} onClose={() => undefined} />,
  )
  await page.getByRole('combobox', { name: 'Property' }).selectOptions('Core · Name')
  await userEvent.fill(page.getByRole('textbox', { name: 'Name' }), 'Mine')
  const rows = page.getByRole('region', { name: 'What will happen' }).getByRole('listitem')
  await expect.element(rows.first()).toMatchTextContent(/^CRM 1/)
  const start = page.getByRole('button', { name: 'Save in 2 installations' })
  await start.click()
  await expect
    .element(rows.first())
    .toMatchTextContent(/CRM 2.*changed since the plan.*Saved since, Name.*Second.*Theirs/)
  await expect.element(rows.nth(1)).not.toMatchTextContent(/changed since the plan/)
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Mine')
  await start.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([
    { planToken: 'Second' },
    { planToken: 'Theirs' },
  ])
})

test('a batch is divided into waves, which its plan shows before it starts', async () => {
  const planned = planWith('token', () => [])
  const api = await serveApi({
    [PLAN]: ({ body }) => ({
      ...planned,
      items: planned.items.map((item, index) => ({
        ...item,
        ...(Reflect.has(body as object, 'waves') && { wave: index + 1 }),
      })),
    }),
    [CREATE]: () => ({ batch }),
  })
  const screen = await open('RETRY')
  await page.getByRole('checkbox', { name: 'In waves' }).click()
  await expect.element(page.getByRole('list', { name: 'Waves' })).toMatchTextContent(/Wave 1: 1 target/)
  expect(api.requests(PLAN).at(-1)?.body).toMatchObject({ waves: { sizes: [1, '10%'] } })
  const failures = page.getByRole('textbox', { name: 'Failures allowed in a wave' })
  await userEvent.fill(failures, 'many')
  const retry = page.getByRole('button', { name: 'Retry 2 operations' })
  await retry.click({ force: true })
  expect(api.requests(CREATE)).toEqual([])
  await userEvent.fill(failures, '5%')
  await retry.click()
  await expect.poll(screen.address).toBe(`/batches/${batch.batchId}`)
  expect(api.requests(CREATE).map(({ body }) => body)).toMatchObject([
    { waves: { sizes: [1, '10%'], soakSeconds: 600, maxFailures: '5%', minPluginSuccess: 90 } },
  ])
})
