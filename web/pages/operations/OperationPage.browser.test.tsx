import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Attempt, ValueRead } from '#contract/console-api/shapes.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import { queryClient } from '../../app/query-client.ts'
import { renderConsole } from '../../testing/render.tsx'
import { refusal } from '../../testing/api.ts'
import { serveScope } from '../../testing/served-scope.ts'
import { at, call, failure, operation, timeout } from './detail/calls/testing.ts'

const ATTEMPTS = 'GET /operations/{operationId}/attempts'
const COUNT = 200
const all: Attempt[] = Array.from({ length: COUNT }, (_, index) =>
  timeout({ attempt: index + 1, startedAt: at(index * 30_000), response: `response ${index + 1}` }),
)
const failed = operation(
  {
    state: 'FAILED',
    phase: 'AFTER_RESOURCES',
    failure: all.at(-1)?.failure ?? null,
    finishedAt: at(6_000_000),
  },
  { after: [call('hooks', 20, [...all.slice(0, 20), ...all.slice(-20)])] },
)

test('attempts between the first and the last are loaded when they are chosen', async () => {
  let isLost = true
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => failed,
    [ATTEMPTS]: ({ query }) => {
      if (isLost) return refusal({ status: 503, code: 'SERVICE_UNAVAILABLE', retryable: true })
      const from = Number(query.get('from'))
      return { items: all.slice(from - 1, from - 1 + Number(query.get('limit'))), nextCursor: null }
    },
  })
  await renderConsole(`/operations/${failed.operationId}`)
  const main = page.getByRole('main')
  await expect.element(main.getByRole('heading', { name: /^Attempt 200, run 1/ })).toBeVisible()
  await expect.element(main.getByText(`${COUNT} of ${COUNT}`)).toBeVisible()
  expect(api.requests(ATTEMPTS)).toEqual([])

  await main.getByRole('link', { name: /^Load attempts 21 to 180/ }).click()
  await expect.element(main.getByRole('button', { name: 'Try again' })).toBeVisible()
  isLost = false
  await main.getByRole('button', { name: 'Try again' }).click()
  await expect.element(main.getByText(`21 of ${COUNT}`)).toBeVisible()
  await expect.element(main.getByText('"response 21"')).toBeVisible()
  await expect.element(main.getByRole('link', { name: /^Load attempts 51 to 180/ })).toBeVisible()

  // attempts beside it are loaded with it
  const loaded = api.requests(ATTEMPTS).length
  await main.getByRole('link', { name: 'Next attempt' }).click()
  await expect.element(main.getByText(`22 of ${COUNT}`)).toBeVisible()
  expect(api.requests(ATTEMPTS).length).toBe(loaded)
  await main.getByRole('link', { name: /^Load attempts 51 to 180/ }).click()
  await expect.element(main.getByText('"response 51"')).toBeVisible()
  expect(api.requests(ATTEMPTS).at(-1)?.query.get('from')).toBe('51')

  await main.getByRole('link', { name: /Attempt 51, run 1/ }).click()
  await userEvent.keyboard('{ArrowLeft}')
  await expect.element(main.getByRole('link', { name: /Attempt 50, run 1/ })).toHaveFocus()
  await userEvent.keyboard('{End}')
  await expect.element(main.getByText(`${COUNT} of ${COUNT}`)).toBeVisible()
})

test('the attempt that failed gets the focus at each press, and the view stays', async () => {
  let answer: ((items: Attempt[]) => void) | undefined
  const middle = {
    ...failed,
    stages: operation({}, { after: [call('hooks', 20, [...all.slice(0, 20), ...all.slice(-20)])] }).stages,
  }
  await serveScope({
    'GET /operations/{operationId}': () => middle,
    [ATTEMPTS]: () =>
      new Promise((resolve) => {
        answer = (items) => resolve({ items, nextCursor: null })
      }),
  })
  await renderConsole(
    `/operations/${failed.operationId}?view=list&stage=AFTER_RESOURCES&plugin=hooks&attempt=100`,
  )
  const main = page.getByRole('main')
  const link = main.getByRole('link', { name: 'View attempt' })
  const heading = main.getByRole('heading', { name: /^Attempt 200, run 1/ })
  await expect.poll(() => answer).toBeDefined()
  // while another attempt is still loading
  await link.click()
  await expect.poll(() => document.activeElement?.id).toBe('attempt')
  await expect.element(page.getByRole('tab', { name: 'Events' })).toHaveAttribute('aria-selected', 'true')

  await link.click()
  await expect.poll(() => document.activeElement?.id).toBe('attempt')
  await expect.element(heading).toBeInViewport()
  // another attempt does not take the focus
  await main.getByRole('link', { name: 'Previous attempt' }).click()
  await expect.element(main.getByRole('link', { name: 'Previous attempt' })).toHaveFocus()
})

test('the history has two views, chosen by keys and kept in the address', async () => {
  const [first, second] = [timeout({ response: null }), timeout({ attempt: 2, startedAt: at(2_000) })]
  const late = { ...second, late: true, outcome: 'APPLIED' as const, failure: null, httpStatus: 200 }
  const { stages: _, ...rest } = failed
  const detail = operation(
    { ...rest, reason: 'Ticket 4711', finishedAt: at(5_000) },
    { after: [call('hooks', 20, [first, late])] },
  )
  await serveScope({ 'GET /operations/{operationId}': () => detail })
  await renderConsole(`/operations/${detail.operationId}`)
  const tab = (name: string) => page.getByRole('tab', { name })
  await expect.element(tab('Timeline')).toHaveAttribute('aria-selected', 'true')

  await userEvent.keyboard('2')
  await expect.element(tab('Events')).toHaveAttribute('aria-selected', 'true')
  const table = page.getByRole('table', { name: 'Every event of the operation' })
  await expect.element(table.getByRole('row', { name: /Requested.*Mira.*Ticket 4711/ })).toBeVisible()
  const answer = table.getByRole('row', { name: /Late response received/ })
  await expect.element(answer).toMatchTextContent(/:02\.100 .*Attempt 2, run 1/)
  const request = table.getByRole('row', { name: /Request sent.*Attempt 1, run 1/ })
  await request.getByRole('link', { name: 'Attempt 1, run 1' }).click()
  await expect.element(page.getByRole('heading', { name: /^Attempt 1, run 1/ })).toBeVisible()
  await expect.element(tab('Events')).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('link', { name: 'Next attempt' }).click()
  await expect.element(page.getByRole('heading', { name: /^Attempt 2, run 1/ })).toBeVisible()
  await expect.element(tab('Events')).toHaveAttribute('aria-selected', 'true')

  // with the focus on a tab, arrow keys move between them
  await tab('Events').click()
  await userEvent.keyboard('{ArrowRight}')
  await expect.element(tab('Timeline')).toHaveFocus()
  await expect.element(tab('Timeline')).toHaveAttribute('aria-selected', 'true')

  // keys that a person types are text
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByRole('textbox', { name: /^Note/ }).click()
  await userEvent.keyboard('2')
  await expect.element(page.getByRole('textbox', { name: /^Note/ })).toHaveValue('2')
  await expect.element(tab('Timeline')).toHaveAttribute('aria-selected', 'true')
})

test('two attempts are compared, and a text is found in all of them', async () => {
  const one = timeout({ attempt: 1 })
  const timing = { sentMs: 10, connectedMs: 15, answeredMs: 90, endedMs: 95 }
  const two = timeout({ attempt: 2, httpStatus: 200, response: { note: 'mailbox A' }, timing })
  const three = timeout({
    attempt: 3,
    httpStatus: 200,
    response: { note: 'mailbox B' },
    durationMs: 250,
    timing: { ...timing, answeredMs: 240, endedMs: 245 },
  })
  const { stages: _, ...rest } = failed
  const detail = operation(rest, { after: [call('hooks', 20, [one, two, three])] })
  await serveScope({ 'GET /operations/{operationId}': () => detail })
  await renderConsole(`/operations/${detail.operationId}`)
  await page.getByText('Compare', { exact: true }).click()
  const first = page.getByLabelText('Compare attempt', { exact: true })
  await expect.element(first).toHaveValue('2')
  const differences = page.getByLabelText('Differences between two attempts')
  await expect.element(differences).toMatchTextContent(/Duration.*100 ms.*250 ms.*Response, note.*mailbox B/)
  // what took longer is named; the same time in another part is not
  await expect.element(differences).toMatchTextContent(/Time: Plugin.*80 ms.*230 ms/)
  expect(differences.element().textContent).not.toMatch(/HTTP status|Failure|Time: (Network|Recording)/)
  const marks = () =>
    [...differences.element().querySelectorAll('mark')].map(({ textContent }) => textContent)
  await expect.poll(marks).toContain('B')
  await first.selectOptions('1')
  await expect.element(differences).toMatchTextContent(/HTTP status.*Time: Network.*–.*5 ms/)

  await page.getByText('Search', { exact: true }).click()
  const search = page.getByRole('searchbox', { name: 'Search request and responses' })
  await search.fill('MAILBOX')
  await expect.element(page.getByText('1 of 2')).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByText('2 of 2')).toBeVisible()
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}')
  await expect.element(page.getByText('1 of 2')).toBeVisible()
  await page.getByRole('button', { name: 'Previous match' }).click()
  await expect.element(page.getByText('2 of 2')).toBeVisible()
  await expect.element(page.getByRole('region', { name: 'Response of attempt 3, run 1' })).toBeVisible()
  await search.fill('[')
  await expect.element(page.getByText('0 of 0')).toBeVisible()
})

test('a retry that cannot help yet says what to fix first, as the page does', async () => {
  const rejected = {
    ...failed,
    failure: {
      ...failure('PLUGIN_RESULT_UNKNOWN', true),
      parameters: { reason: 'callHttpStatus', status: 401 },
    },
    nextStep: { ...failed.nextStep, actor: 'PLUGIN_OWNER' as const, action: 'FIX_AUTHENTICATION' as const },
    retryHelps: 'AFTER_CHANGE' as const,
  }
  const RESTRICTIONS = 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions'
  const frozen = {
    kind: rejected.operationType,
    errorCode: 'CHANGES_FROZEN',
    message: 'Changes are frozen until someone ends the freeze: Year-end closing',
    parameters: { reason: 'changesFrozenForGood', text: 'Year-end closing' },
    until: null,
    blocksRecovery: true,
  }
  await serveScope({
    'GET /operations/{operationId}': () => rejected,
    [RESTRICTIONS]: () => ({ items: [frozen] }),
  })
  await renderConsole(`/operations/${failed.operationId}`)
  // a freeze that refuses the retry too is told before anybody asks for it
  await expect
    .element(page.getByRole('region', { name: 'Why it failed' }).getByText(/frozen until .*Year-end closing/))
    .toBeVisible()
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry this operation?' })
  await expect.element(dialog.getByText('Without a change, this will most likely fail again')).toBeVisible()
  await expect
    .element(dialog.getByText(/refuses the call\. Ask its owner to check how it verifies/))
    .toBeVisible()
  expect(dialog.element().textContent).not.toContain('not retryable')
})

test('the code of the last attempt, a lowered limit and the cause stand out', async () => {
  const limited = {
    ...failed,
    failure: {
      ...failure('PLUGIN_RESULT_UNKNOWN', true),
      attemptCode: 'PLUGIN_TIMEOUT',
      errorPath: ['bundle-runtime', 'hooks'],
      parameters: { reason: 'callTimeout', plugin: 'hooks', seconds: 2 },
    },
    nextStep: { ...failed.nextStep, actor: 'PLUGIN_OWNER' as const, action: 'CHECK_VALUES' as const },
  }
  const limit = (value: number) => ({ '@type': 'Data' as const, value })
  await serveScope({
    'GET /operations/{operationId}': () => limited,
    'GET /operations/{operationId}/context': () => ({
      since: at(0),
      lastGood: null,
      hasMore: false,
      valuesRead: [],
      referrers: { items: [], hasMore: false },
      causes: [
        {
          at: at(10),
          by: { id: 'mira', name: 'Mira' },
          kind: 'plugin.save' as const,
          subject: 'hooks',
          reason: null,
          during: false,
          link: null,
          changes: [
            {
              locator: null,
              property: 'timeoutMs',
              isSensitive: false,
              before: limit(5000),
              after: limit(2000),
            },
          ],
        },
      ],
    }),
  })
  await renderConsole(`/operations/${failed.operationId}`)
  const panel = page.getByRole('region', { name: 'Why it failed' })
  await expect.element(panel.getByText(/lowered from 5,?000 to 2,?000 ms/)).toBeVisible()
  expect(panel.element().textContent).toMatch(/Error code\s*PLUGIN_TIMEOUT/)
  // beside the cause, it would seem to contradict it
  expect(panel.element().textContent).not.toContain('Code after all attempts')
  expect(document.body.textContent).toMatch(/Code after all attempts\s*PLUGIN_RESULT_UNKNOWN/)
  // the plugin that only met a wrong value is not marked as the origin
  const path = panel.getByRole('list', { name: /^Services the error passed/ })
  expect(path.element().querySelector('.text-fail')).toBeNull()
})

test('each value that a call read says what is unknown of the call that wrote it', async () => {
  const written = (property: string, attempts: ValueRead['attempts']) => ({
    locator: 'production/crm-suite/MODULE/crm-core',
    property,
    value: { '@type': 'Data' as const, value: property },
    writer: { pluginId: 'tenants', stage: 'BEFORE_RESOURCES' as const },
    kind: 'WRITTEN' as const,
    at: at(10),
    attempts,
  })
  const reported = {
    ...failed,
    failure: { ...failure('PLUGIN_REPORTED_FAILURE', false), errorPath: ['bundle-runtime', 'hooks'] },
  }
  await serveScope({
    'GET /operations/{operationId}': () => reported,
    'GET /operations/{operationId}/context': () => ({
      since: at(0),
      lastGood: null,
      hasMore: false,
      // the attempts come with the first value
      valuesRead: [
        written('tenantId', [
          { attempt: 1, outcome: null, errorCode: 'PLUGIN_TIMEOUT', isUnknown: true as const },
          { attempt: 2, outcome: 'APPLIED' as const, errorCode: null },
        ]),
        written('region', []),
      ],
      referrers: { items: [], hasMore: false },
      causes: [],
    }),
  })
  await renderConsole(`/operations/${failed.operationId}`)
  const rows = page.getByRole('listitem').filter({ hasText: 'Its attempts: result unknown (PLUGIN_TIMEOUT)' })
  await expect.element(rows.filter({ hasText: 'tenantId' })).toBeVisible()
  await expect.element(rows.filter({ hasText: 'region' })).toBeVisible()
  await expect.element(rows.filter({ hasText: 'region' }).getByText(/may have acted too/)).toBeVisible()
})

test('a takeover is disarmed when the operation moves, and keeps what was typed', async () => {
  const { stages: _, ...rest } = failed
  const before = operation({ ...rest, run: 1 }, { after: [call('hooks', 20, [timeout()])] })
  const retry = {
    run: 2,
    startedAt: at(60_000),
    startedBy: { id: 'tomas', name: 'Tomás' },
    reason: 'The mailbox is free again',
    failedAt: at(100),
    failure: before.failure,
  }
  const after = { ...before, run: 2, retries: [retry] }
  let current: typeof before = before
  const { bundle: _bundle, bundleInstallId: _id, ...scope } = before.installation
  const TAKEOVER = 'POST /operations/{operationId}/takeover'
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => current,
    [`${TAKEOVER}/plan`]: () => ({
      planToken: 'token',
      operationType: 'DETACH',
      scope,
      installation: before.installation,
      currentVersion: '1.0.0',
      targetVersion: null,
      snapshotVersion: 1,
      claim: null,
      resources: [],
      changes: [],
      stages: [
        {
          stage: 'AFTER_RESOURCES',
          calls: [{ pluginId: 'hooks', order: 20, availability: 'READY', reads: [], writes: [] }],
        },
      ],
      problems: [],
    }),
    [TAKEOVER]: () => refusal({ status: 409, code: 'TAKEOVER_NOT_ALLOWED', message: 'Not now.' }),
  })
  await renderConsole(`/operations/${before.operationId}`)
  await page.getByRole('button', { name: 'Take over and detach' }).click()
  const dialog = page.getByRole('dialog')
  await expect.element(dialog.getByText('Last response: It was PLUGIN_TIMEOUT.')).toBeVisible()
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('The course is over')
  await dialog.getByRole('textbox', { name: /^Type/ }).fill('support-desk')
  const confirm = dialog.getByRole('button', { name: 'Take over and detach' })
  await expect.element(confirm).toBeEnabled()

  // a colleague's retry failed again meanwhile
  current = after
  await queryClient.invalidateQueries()
  await expect.element(dialog.getByText('This operation has changed').first()).toBeVisible()
  await expect.element(dialog.getByText('Tomás has retried it.')).toBeVisible()
  await expect.element(dialog.getByText('Reason: The mailbox is free again')).toBeVisible()
  await expect.element(confirm).toBeDisabled()
  // neither a press nor Enter sends what was not reviewed
  await confirm.click({ force: true })
  await dialog.getByRole('textbox', { name: /^Type/ }).click()
  await userEvent.keyboard('{Enter}')
  await expect.element(confirm).toHaveFocus()
  expect(api.requests(TAKEOVER)).toHaveLength(0)
  // the notice may be scrolled away, its headline is not
  await expect.element(dialog.getByRole('button', { name: 'Show what changed' })).toBeInViewport()
  await expect.element(dialog.getByRole('textbox', { name: /^Reason/ })).toHaveValue('The course is over')
  await dialog.getByRole('button', { name: 'Continue with its current state' }).click()
  await expect.element(confirm).toBeEnabled()
  await confirm.click()
  await expect.poll(() => api.requests(TAKEOVER).at(-1)?.body).toMatchObject({ run: 2 })

  // it succeeded, so there is nothing to take over
  await expect.element(dialog.getByText('Not now.')).toBeVisible()
  current = { ...after, state: 'SUCCEEDED', failure: null }
  await queryClient.invalidateQueries()
  await expect.element(dialog.getByText('Close this dialog to review it.')).toBeVisible()
  await expect.element(confirm).toBeDisabled()
})

const ASSIGN = 'PUT /operations/{operationId}/assignee'

test('a person who is not the first to assign it sees who has it, and nothing is overwritten', async () => {
  const tomas = { id: 'tomas', name: 'Tomás' }
  let current = failed
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => current,
    [ASSIGN]: () => {
      current = { ...failed, assignee: tomas }
      return refusal({
        status: 409,
        code: 'OPERATION_ASSIGNEE_CHANGED',
        message: 'The operation is now assigned to Tomás.',
      })
    },
  })
  await renderConsole(`/operations/${failed.operationId}`)
  const main = page.getByRole('main')
  await expect.element(main.getByText('Assignee: Nobody')).toBeVisible()
  await main.getByRole('button', { name: 'Assign to me' }).click()
  await expect.element(main.getByText('The operation is now assigned to Tomás.')).toBeVisible()
  await expect.element(main.getByText('Assignee: Tomás')).toBeVisible()
  expect(api.requests(ASSIGN).at(-1)?.body).toMatchObject({ expected: null })

  // now that they know, they can unassign it
  await main.getByRole('button', { name: 'Unassign' }).click()
  await expect.poll(() => api.requests(ASSIGN).at(-1)?.body).toEqual({ assignee: null, expected: 'tomas' })

  await main.getByRole('button', { name: 'Assign to', exact: true }).click()
  const { id, name } = failed.requestedBy
  await page.getByRole('menuitem', { name }).click()
  await expect.poll(() => api.requests(ASSIGN).at(-1)?.body).toEqual({ assignee: id, expected: 'tomas' })
})

test('notes are shown as text, and a note can be added', async () => {
  const text = '<b>bold</b> [link](javascript:alert(1))'
  const note = { number: 1, author: { id: 'u2', name: 'Ling' }, at: at(0), text }
  const NOTES = 'POST /operations/{operationId}/notes'
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => ({ ...failed, notes: [note] }),
    [NOTES]: () => ({ note }),
  })
  await renderConsole(`/operations/${failed.operationId}`)
  const notes = page.getByRole('list', { name: 'Notes' })
  await expect.element(notes.getByText(text)).toBeVisible()
  expect(notes.element().querySelector('b, a')).toBeNull()

  await page.getByRole('button', { name: 'Add note' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: /^Note/ }).fill(text)
  await dialog.getByRole('button', { name: 'Add note' }).click()
  await expect.poll(() => api.requests(NOTES).at(-1)?.body).toEqual({ text })
  await expect.element(dialog).not.toBeInTheDocument()
})

test('changes have the titles of the version, else of the earlier one, and keep their names', async () => {
  const VERSION = 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'
  const locator = 'staging/support-desk/MODULE/inbox'
  const value = (text: string) => ({ '@type': 'Data' as const, value: text })
  const detail = operation({
    operationType: 'UPGRADE',
    targetVersion: '2.0.0',
    changes: [
      { locator, property: 'host', before: value('a'), after: value('b') },
      { locator, property: 'folder', before: value('c'), after: null },
      { locator, property: 'other', before: value('d'), after: value('e') },
    ],
  })
  const manifest = (version: string, titles: Record<string, string>) => ({
    bundle: detail.installation.bundle,
    version,
    title: 'Support desk',
    resources: [
      {
        kind: 'MODULE' as const,
        name: 'inbox',
        title: `Inbox ${version}`,
        properties: Object.fromEntries(
          Object.entries(titles).map(([name, title]) => [
            name,
            { kind: 'DATA' as const, schema: { type: 'string', title } },
          ]),
        ),
      },
    ],
    plugins: [],
  })
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => detail,
    [VERSION]: ({ params }) =>
      params['version'] === '2.0.0'
        ? manifest('2.0.0', { host: 'Mail server' })
        : manifest('1.0.0', { host: 'Server', folder: 'Folder' }),
  })
  const screen = await renderConsole(`/operations/${detail.operationId}`)
  const changes = page.getByRole('list', { name: 'Property changes' })
  await expect.element(changes.getByText('Inbox 2.0.0')).toBeVisible()
  await expect.element(changes.getByText('Folder folder')).toBeVisible()
  expect(changes.element().textContent).toMatch(/Mail server host.*Folder folder.*other/)

  // the earlier version is read only for what the version lacks
  const reads = api.requests(VERSION).length
  await screen.unmount()
  queryClient.clear()
  detail.changes = detail.changes.slice(0, 1)
  await renderConsole(`/operations/${detail.operationId}`)
  await expect.element(changes.getByText('Mail server host')).toBeVisible()
  const later = api.requests(VERSION).slice(reads)
  expect([...new Set(later.map(({ params }) => params['version']))]).toEqual(['2.0.0'])
})

test('changes keep their names if the manifest cannot be read', async () => {
  const VERSION = 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'
  const change = { locator: 'staging/support-desk/MODULE/inbox', property: 'host', before: null, after: null }
  const detail = operation({ changes: [change] })
  let refused = 0
  await serveScope({
    'GET /operations/{operationId}': () => detail,
    [VERSION]: async ({ signal }) => {
      // strict mode mounts twice and aborts the first request, which must not count, however late that arrives
      await new Promise((resolve) => setTimeout(resolve, 500))
      if (!signal.aborted) refused++
      return refusal({ status: 403, code: 'PERMISSION_DENIED' })
    },
  })
  await renderConsole(`/operations/${detail.operationId}`)
  await expect.poll(() => refused).toBe(1)
  await expect.element(page.getByRole('list', { name: 'Property changes' }).getByText('host')).toBeVisible()
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
})

test('a few changes stand before the history, and many behind it', async () => {
  const change = (index: number) => ({
    locator: 'production/support-desk/MODULE/inbox',
    property: `property${index}`,
    before: null,
    after: { '@type': 'Data' as const, value: index },
  })
  let count = 2
  await serveScope({
    'GET /operations/{operationId}': () => ({
      ...failed,
      changes: Array.from({ length: count }, (_, index) => change(index)),
    }),
  })
  const order = () =>
    page
      .getByRole('main')
      .getByRole('heading', { level: 2 })
      .elements()
      .map(({ textContent }) => textContent)
      .filter((text) => /^(History|Planned changes|Changes)/.test(text))
  await renderConsole(`/operations/${failed.operationId}`)
  await expect.poll(order).toEqual([expect.stringMatching(/changes/i), 'History'])
  count = 7
  await queryClient.invalidateQueries()
  await expect.poll(order).toEqual(['History', expect.stringMatching(/changes/i)])
})

test('on a wide page, the title and the facts below it take one line each before the actions wrap', async () => {
  const running = {
    ...operation({ state: 'RUNNING', phase: 'AFTER_RESOURCES' }, { after: [call('hooks', 20, [])] }),
    title: 'Shop of the northern district',
  }
  await serveScope({ 'GET /operations/{operationId}': () => running })
  await page.viewport(1280, 800)
  await renderConsole(`/operations/${running.operationId}`)
  const actions = page.getByRole('main').getByRole('button', { name: 'Take over and detach' })
  await expect.element(actions).toBeVisible()
  const heading = page.getByRole('heading', { level: 1 }).element()
  const lines = getComputedStyle(heading).lineHeight
  expect(heading.parentElement?.clientHeight).toBeLessThan(2 * Number.parseFloat(lines))
  const middle = (element: Element) => {
    const { top, height } = element.getBoundingClientRect()
    return top + height / 2
  }
  const created = page.getByRole('main').getByRole('time').first().element()
  const copy = page.getByRole('main').getByRole('button', { name: /^Copy/ }).first().element()
  expect(Math.abs(middle(created) - middle(copy))).toBeLessThan(8)
})

test('the batch of an operation is named once, also where it failed', async () => {
  const batches = [{ batchId: '01900000-0000-7000-8000-0000000000ba', action: 'CONFIGURE' as const }]
  const { api } = await serveScope({
    'GET /operations/{operationId}': () => ({ ...failed, batches }),
    'GET /batches/{batchId}': () => refusal({ status: 404, code: 'NOT_FOUND' }),
  })
  await renderConsole(`/operations/${failed.operationId}`)
  const main = page.getByRole('main')
  const named = main.getByRole('term').filter({ hasText: /^Batch$/ })
  await expect.element(main.getByRole('term').filter({ hasText: /^Sequence/ })).toBeVisible()
  expect(named.elements()).toHaveLength(1)
  api.answer({
    'GET /operations/{operationId}': () => ({ ...failed, state: 'TAKEN_OVER' as const, batches }),
  })
  await invalidateEndpoints(queryClient, ['GET /operations/{operationId}'])
  await expect.element(main.getByText(/taken over/i).first()).toBeVisible()
  expect(named.elements()).toHaveLength(1)
})

test('an operation that was taken over says who acts next on the one that took it over', async () => {
  const taken = '01900000-0000-7000-8000-0000000000de'
  const { since } = failed.nextStep
  const [nobody, owner] = [
    { actor: 'NOBODY' as const, action: 'NONE' as const, since },
    { actor: 'PLUGIN_OWNER' as const, action: 'FIX_CAUSE' as const, since },
  ]
  await serveScope({
    'GET /operations/{operationId}': ({ params }) =>
      params['operationId'] === taken
        ? { ...failed, operationId: taken, operationType: 'DETACH' as const, nextStep: owner }
        : { ...failed, state: 'TAKEN_OVER' as const, takenOverBy: taken, nextStep: nobody },
  })
  await renderConsole(`/operations/${failed.operationId}`)
  const took = page.getByRole('main').getByText(/^This operation failed\. A detach operation took over/)
  await expect.element(took).toMatchTextContent(/Detach.*Failed.*Next step: Plugin owner: /)
})
