import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { refusal, type ServedApi } from '../../testing/api.ts'
import { batchWith } from '../../testing/batch.ts'
import { changeRequestWith } from '../../testing/change-request.ts'
import { installationDetail } from '../../testing/installation.ts'
import { queryClient } from '../../app/query-client.ts'
import type { EndpointName } from '../../api/client.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import { changeLocale } from '../../i18n/locale.ts'
import { keepAction } from '../../subjects/sign-in/interrupted-action.ts'
import { renderConsole } from '../../testing/render.tsx'
import { operation } from '../operations/detail/calls/testing.ts'
import { OLIVIA, serveScope } from '../../testing/served-scope.ts'

afterEach(() => changeLocale('en'))

const REQUEST = 'GET /change-requests/{changeRequestId}'
const PLAN = 'GET /change-requests/{changeRequestId}/plan'
const APPROVE = 'POST /change-requests/{changeRequestId}/approve'
const REJECT = 'POST /change-requests/{changeRequestId}/reject'
const WITHDRAW = 'POST /change-requests/{changeRequestId}/withdraw'
const APPLY = 'POST /change-requests/{changeRequestId}/apply'

const planOf = (effect: string | null, planToken: string | null) => ({ effect, planToken, problems: [] })

const show = async (request: ChangeRequestDetail, plan: ChangePlan = planOf(null, null)) => {
  const done = () => ({ changeRequest: request })
  const { api } = await serveScope({
    [REQUEST]: () => request,
    [PLAN]: () => plan,
    [APPROVE]: done,
    [REJECT]: done,
    [WITHDRAW]: done,
    [APPLY]: done,
  })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  return api
}

/** The record of a request of which nothing has succeeded. */
const notDone = {
  errorCode: 'CHANGE_REQUEST_STATE',
  message: 'Nothing has succeeded.',
  parameters: { reason: 'changeNotDone' },
}

type Difference = ChangeRequestDetail['approvedBy'][number]['difference']

/** A request with an approval that was for another effect. */
const approvedBefore = (difference: Difference): ChangeRequestDetail =>
  changeRequestWith({
    approvedBy: [
      {
        by: { id: 'oscar', name: 'Oscar' },
        at: '2026-11-22T09:00:00.000Z',
        revision: 2,
        effect: 'earlier',
        outdated: true,
        ...(difference !== undefined && { difference }),
      },
    ],
  })

test('an approval of a batch that does not count any more shows the limits and waves that it was for, and those of now', async () => {
  await show(
    approvedBefore({
      values: [],
      calls: null,
      resources: null,
      limits: {
        seen: { concurrency: 5, waves: { sizes: [1, '10%'], soakSeconds: 600, maxFailures: 0 } },
        now: { concurrency: 5, first: 3 },
      },
    }),
  )
  const limits = page.getByRole('definition').filter({ hasText: 'Approved' })
  await expect.element(limits).toMatchTextContent(/Approved.*1, 10%.*Now.*Pauses after: 3/)
  await expect.element(page.getByText('Limits and waves')).toBeVisible()
})

test('an approval that does not count any more shows the leaves that it was not for', async () => {
  const data = (deals: number, contacts: number) => ({ '@type': 'Data' as const, value: { deals, contacts } })
  await show(
    approvedBefore({
      // the request changes the contacts, and somebody else has changed the deals
      values: [
        {
          locator: 'production/crm/MODULE/core',
          property: 'retention',
          seen: { before: data(10, 1), after: data(10, 2) },
          now: { before: data(30, 1), after: data(30, 2) },
        },
      ],
      calls: null,
      resources: null,
      limits: null,
    }),
  )
  const difference = page.getByRole('definition').filter({ hasText: 'Approved' })
  await expect.element(difference).toMatchTextContent(/deals.*Approved.*10.*Now.*30/)
  await expect.element(difference).not.toMatchTextContent(/contacts/)
})

test('a request that was not applied in its time says so, and until when it could have been', async () => {
  await show(
    changeRequestWith({
      state: 'EXPIRED',
      schedule: {
        notBefore: '2026-11-22T08:00:00.000Z',
        notAfter: '2026-11-23T08:00:00.000Z',
        timeZone: 'UTC',
      },
      failure: {
        errorCode: 'CHANGE_REQUEST_STATE',
        message:
          'The change request could not be applied before 2026-11-23T08:00:00.000Z, because changes were frozen: Year end',
        parameters: { reason: 'changeTooLateFrozen', until: '2026-11-23T08:00:00.000Z', text: 'Year end' },
      },
      may: { edit: false, approve: false, reject: false, apply: false, override: false },
    }),
  )
  const main = page.getByRole('main')
  await expect.element(main.getByText('Expired', { exact: true })).toBeVisible()
  await expect.element(main.getByText(/could not be applied before.*2026.*frozen: Year end/)).toBeVisible()
  await expect.element(main.getByRole('button', { name: 'Apply' })).not.toBeInTheDocument()
  await changeLocale('zh')
  await expect.element(main.getByText('排期', { exact: true })).toBeVisible()
  await expect.element(main.getByText(/2026.*之前应用，因为当时变更被冻结：Year end/)).toBeVisible()
})

test.for([
  ['APPLYING', 'FAILED', /An operation has failed.*Retry/],
  ['APPLIED', 'TAKEN_OVER', /It was started, but an operation failed/],
] as const)(
  'of a request that is %s, whose operation is %s, the page says so',
  async ([state, result, text]) => {
    const found = operation({ state: result })
    const request = changeRequestWith({ state, operations: [found.operationId] })
    await serveScope({ [REQUEST]: () => request, 'GET /operations/{operationId}': () => found })
    await renderConsole(`/change-requests/${request.changeRequestId}`)
    await expect.element(page.getByText(text)).toBeVisible()
  },
)

test('of a request whose operation is paused, the page says what it waits for', async () => {
  const nextStep = { actor: 'SUPPORT' as const, action: 'RESUME' as const, since: '2026-11-22T09:00:00.000Z' }
  const found = operation({ state: 'RUNNING', nextStep })
  const request = changeRequestWith({ state: 'APPLYING', operations: [found.operationId] })
  await serveScope({ [REQUEST]: () => request, 'GET /operations/{operationId}': () => found })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  await expect.element(page.getByText(/waits until someone resumes what is paused/)).toBeVisible()
})

test('of a batch that was stopped, the page says that it was not applied in all targets', async () => {
  const batch = batchWith({
    state: 'STOPPED',
    counts: { PENDING: 0, RUNNING: 0, SUCCEEDED: 1, FAILED: 1, REFUSED: 0, SKIPPED: 2 },
  })
  const request = changeRequestWith({ state: 'APPLIED', batchId: batch.batchId })
  await serveScope({ [REQUEST]: () => request, 'GET /batches/{batchId}': () => batch })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  await expect
    .element(page.getByText(/did not succeed in all targets: 1 succeeded, 1 failed, 2 skipped/))
    .toBeVisible()
})

test('of a batch that was stopped before any target succeeded, nothing says that it was applied', async () => {
  const batch = batchWith({
    state: 'STOPPED',
    counts: { PENDING: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 1, REFUSED: 0, SKIPPED: 2 },
  })
  const request = changeRequestWith({ state: 'APPLIED', batchId: batch.batchId, failure: notDone })
  await serveScope({
    [REQUEST]: () => request,
    'GET /batches/{batchId}': () => batch,
    'GET /change-requests': () => ({ items: [request], nextCursor: null }),
  })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  const main = page.getByRole('main')
  const said = /^Its batch was stopped before any target succeeded: 1 failed, 2 skipped/
  await expect.element(main.getByText(said)).toBeVisible()
  await expect.element(main.getByText('Not applied', { exact: true })).toBeVisible()
  await expect.element(main.getByText(/applied|undone/i)).toHaveLength(1)
  await renderConsole('/change-requests')
  await expect.element(main.getByRole('row').getByText('Not applied', { exact: true })).toBeVisible()
})

test('what was retried in a batch since it was applied counts for its page', async () => {
  const ended = { PENDING: 0, RUNNING: 0, SUCCEEDED: 1, FAILED: 1, REFUSED: 0, SKIPPED: 0 }
  const batch = batchWith({ state: 'DONE', counts: ended })
  const { api } = await serveScope({
    [REQUEST]: () => changeRequestWith({ state: 'APPLIED', batchId: batch.batchId, failure: notDone }),
    'GET /batches/{batchId}': () => batch,
  })
  await renderConsole(`/change-requests/${changeRequestWith({}).changeRequestId}`)
  const main = page.getByRole('main')
  await expect.element(main.getByText('Partly applied', { exact: true })).toBeVisible()
  await expect.element(main.getByText(/did not succeed in all targets/)).toBeVisible()
  api.answer({
    'GET /batches/{batchId}': () => ({ ...batch, counts: { ...ended, SUCCEEDED: 2, FAILED: 0 } }),
  })
  await invalidateEndpoints(queryClient, ['GET /batches/{batchId}'])
  await expect.element(main.getByText('Applied', { exact: true })).toBeVisible()
  await expect.element(main.getByText(/^It was applied\./)).toBeVisible()
})

test('a request whose batch is paused, or whose next wave waits because of failures, says that it waits for a person', async () => {
  const wave = { wave: 2, plugins: [] }
  const batch = batchWith({ state: 'RUNNING', waiting: { ...wave, because: ['FAILURES'] } })
  const request = changeRequestWith({ state: 'APPLYING', batchId: batch.batchId })
  const { api } = await serveScope({ [REQUEST]: () => request, 'GET /batches/{batchId}': () => batch })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  const notice = page.getByText(/its batch waits for a person\. Open the batch/)
  await expect.element(notice).toBeVisible()
  const show = async (shown: typeof batch) => {
    api.answer({ 'GET /batches/{batchId}': () => shown })
    await invalidateEndpoints(queryClient, ['GET /batches/{batchId}'])
  }
  // a soak time ends by itself
  await show({ ...batch, waiting: { ...wave, because: ['SOAK'] } })
  await expect.element(notice).not.toBeInTheDocument()
  await show(batchWith({ state: 'PAUSED' }))
  await expect.element(notice).toBeVisible()
})

test('an installation that was taken over is not said to be undone with a detach', async () => {
  const found = operation({ state: 'TAKEN_OVER' })
  const request = changeRequestWith({
    state: 'APPLIED',
    kind: 'INSTALL',
    operations: [found.operationId],
    failure: notDone,
  })
  await serveScope({ [REQUEST]: () => request, 'GET /operations/{operationId}': () => found })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  await expect.element(page.getByText('A takeover cannot be undone. Install the bundle again.')).toBeVisible()
  await expect.element(page.getByText(/detach the installation|was applied/)).not.toBeInTheDocument()
  await expect.element(page.getByText('Not applied', { exact: true })).toBeVisible()
})

test('what an applied request asked for is not called new, because what was there before is not kept', async () => {
  const core = 'production/crm/MODULE/core'
  await show(
    changeRequestWith({
      state: 'APPLIED',
      input: { changes: { [core]: { port: { '@type': 'Data', value: 2525 } } } },
      may: { edit: false, approve: false, reject: false, apply: false, override: false },
    }),
  )
  const changed = page.getByRole('list', { name: 'What it changed' })
  await expect.element(changed).toMatchTextContent(/2525/)
  await expect.element(changed).not.toMatchTextContent(/\bnew\b/)
})

/** Reads the request and its plan again, as the page does every few seconds. */
const readAgain = () => invalidateEndpoints(queryClient, [REQUEST, PLAN])
const bodies = (api: ServedApi, name: EndpointName) => api.requests(name).map(({ body }) => body)

test('a comment at a line is written where the focus goes, also after its line is cleared', async () => {
  const core = 'production/crm/MODULE/core'
  const side = { '@type': 'Data' as const, value: 25 }
  const change = { locator: core, property: 'port', before: side, after: { ...side, value: 2525 } }
  const scope = { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: 1 }
  const plan = planOf('effect-1', 'token-1')
  await show(changeRequestWith({ kind: 'CONFIGURE', scope }), {
    ...plan,
    configuration: {
      ...plan,
      snapshotVersion: 1,
      stale: false,
      changes: [change],
      installations: [],
      notices: [],
    },
  })
  await page.getByRole('button', { name: /^Comment on/ }).click()
  const box = page.getByRole('textbox', { name: 'Your comment' })
  await expect.element(box).toHaveFocus()
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.element(box).toHaveFocus()
})

test('in the list, a request that was overridden is marked', async () => {
  const items = [changeRequestWith({ state: 'APPLIED', overridden: true })]
  await serveScope({ 'GET /change-requests': () => ({ items, nextCursor: null }) })
  await renderConsole('/change-requests')
  await expect.element(page.getByRole('row').getByText('Applied by override')).toBeVisible()
})

test('a request whose person had to sign in again asks for the same step again, and keeps the reason while its plan is read', async () => {
  const request = changeRequestWith({
    state: 'APPROVED',
    may: { edit: false, approve: false, reject: false, apply: true, override: true },
  })
  keepAction(OLIVIA.id, `change-request/${request.changeRequestId}`, { target: 'apply', reason: 'As agreed' })
  const read = Promise.withResolvers<ChangePlan>()
  const { api } = await serveScope({
    [REQUEST]: () => request,
    [PLAN]: () => read.promise,
    [APPLY]: () => ({ changeRequest: request }),
  })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  const dialog = page.getByRole('dialog', { name: 'Apply this change?' })
  await expect.element(dialog.getByRole('textbox')).toHaveValue('As agreed')
  const apply = dialog.getByRole('button', { name: 'Apply', exact: true })
  await expect.element(apply).toHaveAccessibleDescription('Loading…')
  read.resolve(planOf('effect-1', 'token-1'))
  await expect.element(apply).not.toHaveAccessibleDescription('Loading…')
  await apply.click()
  await expect
    .poll(() => bodies(api, APPLY))
    .toEqual([{ revision: 3, planToken: 'token-1', override: false, reason: 'As agreed' }])
  await expect.element(dialog).not.toBeInTheDocument()
  // nothing on the page had opened it
  await expect.element(page.getByRole('main')).toHaveFocus()
})

const APPLICABLE = changeRequestWith({
  state: 'APPROVED',
  may: { edit: false, approve: false, reject: false, apply: true, override: false },
})

test('what is applied is the plan that was shown when the dialog opened, and reading it again does not block the dialog', async () => {
  const api = await show(APPLICABLE, planOf('effect-1', 'token-1'))
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Apply this change?' })
  const apply = dialog.getByRole('button', { name: 'Apply', exact: true })
  await expect.element(apply).toBeEnabled()

  // each read has another token, also for the same plan
  api.answer({ [PLAN]: () => planOf('effect-1', 'token-2') })
  await readAgain()
  const never = Promise.withResolvers<ChangePlan>()
  const before = api.requests(PLAN).length
  api.answer({ [PLAN]: () => never.promise })
  void readAgain()
  await expect.poll(() => api.requests(PLAN).length).toBe(before + 1)
  await expect.element(apply).not.toHaveAccessibleDescription()
  await apply.click()
  await expect
    .poll(() => bodies(api, APPLY))
    .toEqual([{ revision: 3, planToken: 'token-1', override: false }])
})

test('an approved request that would be refused now says so, and is not applied but by override', async () => {
  const until = '2026-12-28T06:00:00.000Z'
  const message = 'Changes are frozen: the books are being closed.'
  const problems = [{ errorCode: 'CHANGES_FROZEN', message }]
  await show(
    {
      ...APPLICABLE,
      may: { ...APPLICABLE.may, override: true },
      schedule: { notBefore: until, notAfter: until, timeZone: 'UTC' },
    },
    { ...planOf('effect-1', 'token-1'), problems },
  )
  const main = page.getByRole('main')
  // once, with the reason
  await expect.element(main.getByText(/would be refused now/)).toBeVisible()
  await expect.element(main.getByRole('listitem').filter({ hasText: message })).toBeVisible()
  await expect
    .element(page.getByRole('button', { name: 'Apply', exact: true }))
    .toHaveAccessibleDescription(message)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Apply by override' }).click()
  const dialog = page.getByRole('dialog', { name: 'Apply by override?' })
  await dialog.getByRole('textbox').fill('The shop is down')
  await expect
    .element(dialog.getByRole('button', { name: 'Apply by override' }))
    .not.toHaveAccessibleDescription()
})

test('the operations that lock the installations of a request are links, beside what each of them locks', async () => {
  const locks = ['crm', 'billing'].map((bundle, index) => ({
    bundle,
    operationId: `01920000-0000-7000-8000-0000000000d${index}`,
  }))
  const problems = locks.map((lock) => ({
    errorCode: 'OPERATION_CLAIM_HELD',
    message: `The UPGRADE operation ${lock.operationId} of bundle ${lock.bundle} has failed and still locks the installation.`,
    parameters: { reason: 'lockedByFailed', operationType: 'UPGRADE', ...lock },
  }))
  await show(APPLICABLE, { ...planOf('effect-1', 'token-1'), problems })
  const main = page.getByRole('main')
  for (const { bundle, operationId } of locks) {
    const problem = main.getByRole('listitem').filter({ hasText: `${bundle} is locked by the` })
    const link = problem.getByRole('link', { name: 'Upgrade operation' })
    await expect.element(link).toHaveAttribute('href', `/operations/${operationId}`)
    await expect.element(main.getByText(operationId)).not.toBeInTheDocument()
  }
})

test('a request that could be applied is not said to be before its plan has arrived', async () => {
  const read = Promise.withResolvers<ChangePlan>()
  await serveScope({ [REQUEST]: () => APPLICABLE, [PLAN]: () => read.promise })
  await renderConsole(`/change-requests/${APPLICABLE.changeRequestId}`)
  await expect.element(page.getByRole('button', { name: 'Apply', exact: true })).toBeVisible()
  const ready = page.getByText('It has its approvals and can be applied.')
  await expect.element(ready).not.toBeVisible()
  read.resolve(planOf('effect-1', 'token-1'))
  await expect.element(ready).toBeVisible()
})

test('a person without the permission for an approved change reads who can apply it', async () => {
  await show({ ...APPLICABLE, may: { ...APPLICABLE.may, apply: false } }, planOf('effect-1', 'token-1'))
  const notice = page.getByText(/You don’t have permission to make this change; anyone who has it can apply/)
  await expect.element(notice).toBeVisible()
  await changeLocale('zh')
  await expect.element(page.getByText(/您没有进行此变更的权限；有此权限的人可以应用/)).toBeVisible()
})

test('a batch of which no target can start is refused, and one with a target that can is not', async () => {
  const frozen = [{ errorCode: 'CHANGES_FROZEN', message: 'Changes are frozen.' }]
  const planWith = (problemsOfFirst: ChangePlan['problems']): ChangePlan => ({
    ...planOf('effect-1', 'token-1'),
    batch: {
      planToken: 'token-1',
      broken: null,
      items: [problemsOfFirst, frozen].map((problems, index) => ({
        target: `01920000-0000-7000-8000-0000000000a${index}`,
        scope: { environmentKey: 'production', applicationRuntimeId: 'crm', workspaceId: index + 1 },
        bundle: { environmentKey: 'production', bundleId: 'crm' },
        installation: null,
        title: `CRM ${index}`,
        currentVersion: '1.0.0',
        claim: null,
        changes: 0,
        values: [],
        resources: 2,
        failure: null,
        plugins: [],
        unchecked: [],
        problems,
      })),
    },
  })
  const api = await show(APPLICABLE, planWith(frozen))
  const apply = page.getByRole('button', { name: 'Apply', exact: true })
  await expect.element(page.getByText(/it would be refused now/)).toBeVisible()
  await expect.element(apply).toHaveAccessibleDescription('None of the targets can start.')
  api.answer({ [PLAN]: () => planWith([]) })
  await readAgain()
  await expect.element(page.getByText('It has its approvals and can be applied.')).toBeVisible()
  await expect.element(apply).not.toHaveAccessibleDescription()
})

test('a plan that is out of date is refused with what has moved, and the next confirmation is for the plan of now', async () => {
  const api = await show(APPLICABLE, planOf('effect-1', 'token-1'))
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Apply this change?' })
  const apply = dialog.getByRole('button', { name: 'Apply', exact: true })
  const moved = { errorCode: 'PLAN_STALE', message: 'The registration of a plugin has changed.' }
  api.answer({
    [PLAN]: () => planOf('effect-1', 'token-2'),
    [APPLY]: () => refusal({ status: 409, code: 'PLAN_STALE', details: [moved] }),
  })
  await apply.click()
  await expect.element(dialog.getByText(moved.message)).toBeVisible()
  await apply.click()
  await expect
    .poll(() => bodies(api, APPLY))
    .toEqual(['token-1', 'token-2'].map((planToken) => ({ revision: 3, planToken, override: false })))
})

test('a request or a plan that changes while its dialog is open cannot be confirmed until the person has seen it', async () => {
  const may = { edit: false, approve: true, reject: true, apply: false, override: false }
  const request = changeRequestWith({ may })
  const api = await show(request, planOf('effect-1', 'token-1'))
  const changed = 'The change request or its plan has changed'
  const open = async (step: 'Approve' | 'Reject') => {
    await page.getByRole('button', { name: step, exact: true }).click()
    return page.getByRole('dialog').getByRole('button', { name: step, exact: true })
  }
  const closeChanged = async () => {
    await expect.element(page.getByRole('dialog').getByRole('status')).toMatchTextContent(changed)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  }

  const approve = await open('Approve')
  await expect.element(approve).not.toHaveAccessibleDescription()
  api.answer({ [PLAN]: () => planOf('effect-2', 'token-2') })
  await readAgain()
  await expect.element(approve).toHaveAccessibleDescription(changed)
  await closeChanged()

  const reject = await open('Reject')
  api.answer({ [PLAN]: () => planOf('effect-3', 'token-3') })
  await readAgain()
  // rejecting names no effect
  await expect.element(reject).not.toHaveAccessibleDescription(changed)
  api.answer({ [REQUEST]: () => ({ ...request, revision: 4 }) })
  await readAgain()
  await expect.element(reject).toHaveAccessibleDescription(changed)
  await closeChanged()

  await (await open('Approve')).click()
  await expect.poll(() => bodies(api, APPROVE)).toEqual([{ revision: 4, effect: 'effect-3' }])
  expect(api.requests(REJECT)).toEqual([])
})

test('who has approved the effect is told so, and is not asked again', async () => {
  const approval = {
    by: { id: OLIVIA.id, name: OLIVIA.name },
    at: '2026-11-22T09:00:00.000Z',
    revision: 3,
    effect: 'effect-1',
  }
  const may = { edit: false, approve: false, reject: true, apply: false, override: false }
  const request = changeRequestWith({ may, approvals: 1, approvalsNeeded: 2, approvedBy: [approval] })
  const api = await show(request, planOf('effect-1', 'token-1'))
  const approved = page.getByRole('button', { name: 'Approved by you' })
  await expect
    .element(approved)
    .toHaveAccessibleDescription('Your approval counts for what the plan shows now.')
  expect(page.getByRole('button', { name: 'Approve', exact: true }).elements()).toEqual([])
  api.answer({
    [REQUEST]: () => ({
      ...request,
      may: { ...may, approve: true },
      approvedBy: [{ ...approval, outdated: true }],
    }),
  })
  await readAgain()
  await expect.element(page.getByRole('button', { name: 'Approve', exact: true })).toBeEnabled()
  // an edit with the same effect makes the person an author, and leaves their approval
  api.answer({
    [REQUEST]: () => ({ ...request, may: { ...may, reject: false }, authors: [request.createdBy, OLIVIA] }),
  })
  await readAgain()
  await expect
    .element(page.getByRole('button', { name: 'Approve', exact: true }))
    .toHaveAccessibleDescription(/someone else must approve it/)
  await expect.element(page.getByText(/this person has edited the request since/)).toBeVisible()
})

test('an approval for what is gone lists no differences, and the page says what to do', async () => {
  await show(approvedBefore(undefined), {
    ...planOf(null, null),
    problems: [{ errorCode: 'NOT_FOUND', message: 'The installation does not exist.' }],
  })
  await expect.element(page.getByText(/no effect to compare/)).toBeVisible()
  await expect.element(page.getByText(/is gone. Withdraw it/)).toBeVisible()
  expect(page.getByText('What has changed since').elements()).toEqual([])
})

test('a request that is scheduled after a freeze is not said to be refused, and one that is scheduled in it is', async () => {
  const until = '2026-12-28T06:00:00.000Z'
  const message = `Changes are frozen until ${until}.`
  const parameters = { reason: 'changesFrozen', until, text: 'Year end' }
  const plan = {
    ...planOf('effect-1', 'token-1'),
    problems: [{ errorCode: 'CHANGES_FROZEN', message, parameters }],
  }
  const scheduled = (notBefore: string): ChangeRequestDetail => ({
    ...APPLICABLE,
    state: 'SCHEDULED',
    schedule: { notBefore, notAfter: '2026-12-29T06:00:00.000Z', timeZone: 'UTC' },
  })
  const api = await show(scheduled(until), plan)
  const main = page.getByRole('main')
  await expect.element(main.getByText(/^It will be applied between/)).toBeVisible()
  await expect.element(main.getByText(/would be refused now/)).not.toBeInTheDocument()
  api.answer({ [REQUEST]: () => scheduled('2026-12-28T05:59:00.000Z') })
  await readAgain()
  await expect.element(main.getByText(/would be refused now/)).toBeVisible()
  const unknown = { errorCode: 'PLUGIN_NOT_REGISTERED', message: 'A plugin is not registered.' }
  api.answer({
    [REQUEST]: () => scheduled(until),
    [PLAN]: () => ({ ...plan, problems: [...plan.problems, unknown] }),
  })
  await readAgain()
  await expect.element(main.getByText(unknown.message)).toBeVisible()
})

test('the end of the freezes that refuse a request is offered for its schedule', async () => {
  const ends = ['2026-12-24T22:00:30.000Z', '2026-12-24T20:00:00.000Z']
  const problems = ends.map((until) => ({
    errorCode: 'CHANGES_FROZEN',
    message: `Changes are frozen until ${until}.`,
    parameters: { reason: 'changesFrozen', until, text: 'Year end' },
  }))
  const SCHEDULE = 'POST /change-requests/{changeRequestId}/schedule'
  const request = changeRequestWith({})
  const api = await show(request, { ...planOf('effect-1', 'token-1'), problems })
  api.answer({ [SCHEDULE]: () => ({ changeRequest: request }) })
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Schedule' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Schedule after it' }).click()
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await expect
    .poll(() => bodies(api, SCHEDULE))
    .toMatchObject([{ notBefore: '2026-12-24T22:01:00.000Z', notAfter: '2026-12-25T22:01:00.000Z' }])
})

test('the page names a pause that would hold it up, and the policy that asks for more approvals now', async () => {
  const changeRequest = changeRequestWith({
    history: [
      {
        number: 2,
        at: '2026-11-22T09:00:00.000Z',
        by: { id: 'bundle-runtime', name: 'Bundle runtime' },
        event: 'REBASED',
        revision: 3,
        text: null,
        target: null,
        policy: { environmentKey: 'production', approvals: 2 },
      },
    ],
  })
  const paused = {
    message: 'Mira paused the plugin mail.',
    parameters: { reason: 'planPluginPaused', person: 'Mira', plugin: 'mail', text: 'Maintenance' },
  }
  await show(changeRequest, {
    ...planOf('effect-1', 'token-1'),
    batch: { planToken: 'token-1', items: [], broken: null, notices: [paused] },
  })
  await expect.element(page.getByText(paused.message)).toBeVisible()
  await expect.element(page.getByText(/^The policy of production now requires 2 approvals/)).toBeVisible()
  expect(page.getByText(/Checked again/).elements()).toEqual([])
  await changeLocale('zh')
  await expect.element(page.getByText(/^Mira 已暂停插件 mail（“Maintenance”）/)).toBeVisible()
  await expect.element(page.getByText(/^production 的策略现在要求 2 次批准/)).toBeVisible()
})

test('a request is rejected with a reason, and withdrawn without one, at the revision that was shown', async () => {
  const request = changeRequestWith({
    may: { edit: true, approve: true, reject: true, apply: false, override: false },
  })
  const api = await show(request)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Reject', exact: true }).click()
  const reject = dialog.getByRole('button', { name: 'Reject', exact: true })
  await expect.element(reject).toHaveAccessibleDescription('Enter a reason first.')
  await dialog.getByRole('textbox').fill(' Not before the audit ')
  await reject.click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(bodies(api, REJECT)).toEqual([{ revision: 3, comment: 'Not before the audit' }])

  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Withdraw' }).click()
  await dialog.getByRole('button', { name: 'Withdraw', exact: true }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(bodies(api, WITHDRAW)).toEqual([{ revision: 3 }])
})

test('of a structured value that two people changed, the conflict shows only what each of them changed', async () => {
  const side = (name: string) => ({ '@type': 'Data' as const, value: { name, address: { city: 'Oslo' } } })
  const conflict = {
    locator: 'production/crm/MODULE/core',
    property: 'issuer',
    base: side('Northern'),
    theirs: side('Eastern'),
    mine: side('Southern'),
  }
  await show(changeRequestWith({ state: 'CONFLICTED', conflicts: [conflict] }))
  const conflicts = page.getByRole('region', { name: 'Conflicts' })
  const said = /Saved by others.*name.*Northern.*Eastern.*In this request.*name.*Northern.*Southern/
  await expect.element(conflicts).toMatchTextContent(said)
  await expect.element(conflicts).not.toMatchTextContent(/Oslo/)
})

test('a reviewer is told that conflicts keep a request from being approved, not that they wrote it', async () => {
  const side = { '@type': 'Data' as const, value: 1 }
  const conflict = {
    locator: 'production/crm/MODULE/core',
    property: 'port',
    base: side,
    theirs: side,
    mine: side,
  }
  const may = { edit: true, approve: false, reject: true, apply: false, override: false }
  const request = changeRequestWith({ may, conflicts: [conflict] })
  const api = await show(request, planOf('effect-1', null))
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  await expect.element(approve).toHaveAccessibleDescription('Its conflicts must be resolved first.')
  api.answer({ [REQUEST]: () => ({ ...request, may: { ...may, reject: false } }) })
  await readAgain()
  await expect
    .element(approve)
    .toHaveAccessibleDescription('You wrote or edited this change request, so someone else must approve it.')
})

test('who may not reject a request is not offered it', async () => {
  await show(changeRequestWith({}))
  await expect.element(page.getByRole('button', { name: 'More', exact: true })).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Reject' })).not.toBeInTheDocument()
})

test('the schedule of a takeover needs a recent sign-in, and comes back with the times that were entered', async () => {
  const request = changeRequestWith({ kind: 'TAKEOVER', title: 'Take over the upgrade' })
  const reason = JSON.stringify({ notBefore: '2026-12-24T22:00', notAfter: '2026-12-25T06:00' })
  keepAction(OLIVIA.id, `change-request/${request.changeRequestId}`, { target: 'schedule', reason })
  const api = await show(request)
  api.answer({
    'POST /change-requests/{changeRequestId}/schedule': () =>
      refusal({ status: 403, code: 'RECENT_SIGN_IN_REQUIRED' }),
  })
  const dialog = page.getByRole('dialog', { name: 'Schedule change request' })
  await expect.element(dialog.getByLabelText('Not before')).toHaveValue('2026-12-24T22:00')
  await expect.element(dialog.getByLabelText('Not after')).toHaveValue('2026-12-25T06:00')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect.element(dialog.getByRole('button', { name: 'Sign in again' })).toBeVisible()
})

test('a batch is edited only with the plan of what it asks for now', async () => {
  const plan = 'GET /change-requests/{changeRequestId}/plan'
  const read = 'GET /change-requests/{changeRequestId}'
  const batch = { planToken: 'token-1', items: [], broken: null }
  const api = await show(changeRequestWith({}))
  api.answer({ [plan]: () => ({ effect: null, planToken: null, batch, problems: [] }) })
  await invalidateEndpoints(queryClient, [plan])
  const edit = page.getByRole('button', { name: 'Edit', exact: true })
  await expect.element(edit).not.toHaveAccessibleDescription()
  const planned = Promise.withResolvers<void>()
  api.answer({
    [read]: () => changeRequestWith({ revision: 4 }),
    [plan]: async () => {
      await planned.promise
      return { effect: null, planToken: null, batch, problems: [] }
    },
  })
  await invalidateEndpoints(queryClient, [read])
  await expect.element(edit).toHaveAccessibleDescription('Loading…')
  planned.resolve()
  await expect.element(edit).not.toHaveAccessibleDescription()
})

const MAIN = 'production/crm/MODULE/main'
const VERSION = 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'
const text = (title: string) => ({ kind: 'DATA' as const, schema: { type: 'string', title } })
/** Version 2 gives `host` another title, and has no `legacy`. */
const manifestOf = (version: string) => ({
  bundle: { environmentKey: 'production', bundleId: 'crm' },
  version,
  title: 'CRM',
  resources: [
    {
      kind: 'MODULE' as const,
      name: 'main',
      moduleId: 'main',
      title: 'Mail server',
      properties:
        version === '2.0.0'
          ? { host: text('Host name') }
          : { host: text('Server'), legacy: text('Legacy mode') },
    },
  ],
  plugins: [],
})
const value = (given: string) => ({ '@type': 'Data' as const, value: given })
const movedIn = (property: string) => ({
  values: [{ locator: MAIN, property, seen: null, now: { before: null, after: value('b') } }],
  calls: null,
  resources: null,
  limits: null,
})
const showWithTitles = async (request: ChangeRequestDetail, plan: ChangePlan = planOf(null, null)) => {
  await serveScope({
    [REQUEST]: () => request,
    [PLAN]: () => plan,
    [VERSION]: ({ params }) => manifestOf(String(params['version'])),
  })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
}

test('a batch names resources and properties by their titles, in its targets and in what has changed since an approval', async () => {
  const request = {
    ...approvedBefore(movedIn('legacy')),
    input: { batch: { properties: [], unset: [], targetVersion: '2.0.0', copiesTitles: false } },
  }
  const target = {
    target: '01920000-0000-7000-8000-0000000000a0',
    scope: { environmentKey: 'production', applicationRuntimeId: 'crm', workspaceId: 1 },
    bundle: { environmentKey: 'production', bundleId: 'crm' },
    installation: null,
    title: 'CRM',
    currentVersion: '1.0.0',
    claim: null,
    changes: 1,
    values: [{ locator: MAIN, property: 'host', before: value('a'), after: value('b') }],
    resources: 1,
    failure: null,
    plugins: [],
    unchecked: [],
    problems: [
      { locator: MAIN, property: 'host', errorCode: 'PROPERTY_INVALID', message: 'It is too short.' },
    ],
  }
  await showWithTitles(request, {
    ...planOf('effect-1', 'token-1'),
    batch: { planToken: 'token-1', broken: null, items: [target] },
  })
  const main = page.getByRole('main')
  await expect.element(main.getByText('Mail server', { exact: true })).toBeVisible()
  await expect.element(main.getByRole('list', { name: 'Changed values' })).toMatchTextContent(/Host name/)
  await expect.element(main.getByText(/^1 target(?!s)/)).toBeVisible()
  await expect.element(main.getByText(/too short/)).toMatchTextContent(/Host name: ?It is too short/)
  // only the present version has it
  await expect.element(main.getByRole('term').filter({ hasText: 'Legacy mode' })).toBeVisible()
})

test('an ended upgrade names what it asked for, and what had changed, by the titles of its version', async () => {
  await showWithTitles({
    ...approvedBefore(movedIn('host')),
    kind: 'UPGRADE',
    state: 'WITHDRAWN',
    input: { targetVersion: '2.0.0', properties: { [MAIN]: { host: value('b') } } },
    history: [
      {
        number: 1,
        by: OLIVIA,
        at: '2026-11-22T09:00:00.000Z',
        event: 'COMMENTED',
        revision: 3,
        text: 'Why?',
        target: { locator: MAIN, property: 'host' },
      },
    ],
  })
  const main = page.getByRole('main')
  await expect
    .element(main.getByRole('list', { name: 'What it requested' }))
    .toMatchTextContent(/Mail server.*Host name/)
  await expect.element(main.getByText('On Host name')).toBeVisible()
  await expect.element(main.getByRole('term').filter({ hasText: /^Host name$/ })).toBeVisible()
  // its title may say anything
  await expect.element(main.getByRole('definition').filter({ hasText: /^2\.0\.0$/ })).toBeVisible()
})

test('a save names the bundle of its only installation, which neither the request nor its plan does', async () => {
  const { bundleInstallId } = installationDetail.installation
  const request = changeRequestWith({ kind: 'CONFIGURE', bundleInstallId })
  await serveScope({
    [REQUEST]: () => request,
    [PLAN]: () => planOf(null, null),
    'GET /installations/{bundleInstallId}': () => installationDetail,
  })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  const bundle = page.getByRole('definition').getByRole('link', { name: 'CRM', exact: true })
  await expect.element(bundle).toHaveAttribute('href', `/installations/${bundleInstallId}`)
})

test('an ended batch shows what it asked for: its limits, how many targets, and its values by their titles', async () => {
  await showWithTitles(
    changeRequestWith({
      state: 'WITHDRAWN',
      input: {
        action: 'CONFIGURE',
        targets: ['01920000-0000-7000-8000-0000000000a0'],
        concurrency: 5,
        batch: {
          targetVersion: null,
          properties: [{ locator: MAIN, property: 'legacy', title: 'Legacy mode', after: value('off') }],
        },
      },
    }),
  )
  const asked = page.getByRole('region', { name: 'What it requested' })
  await expect.element(asked).toMatchTextContent(/1 target.*5.*Legacy mode.*off/)
})

test('an ended change of a version that is not installed any more has the titles of that version', async () => {
  const found = operation({ state: 'SUCCEEDED', operationType: 'CONFIGURE' })
  await serveScope({
    [REQUEST]: () =>
      changeRequestWith({
        kind: 'CONFIGURE',
        state: 'APPLIED',
        scope: { environmentKey: 'production', applicationRuntimeId: 'crm', workspaceId: 1 },
        operations: [found.operationId],
        input: { snapshotVersion: 2, changes: { [MAIN]: { legacy: value('off') } } },
      }),
    'GET /operations/{operationId}': () => ({
      ...found,
      installation: { ...found.installation, bundle: { environmentKey: 'production', bundleId: 'crm' } },
      currentVersion: '1.0.0',
      targetVersion: '1.0.0',
    }),
    [VERSION]: ({ params }) => manifestOf(String(params['version'])),
  })
  await renderConsole(`/change-requests/01920000-0000-7000-8000-0000000000c1`)
  const changed = page.getByRole('main').getByRole('list', { name: 'What it changed' })
  await expect.element(changed).toMatchTextContent(/Mail server.*Legacy mode/)
})

test('a request whose target is gone is not said to remove or call anything', async () => {
  const message = 'The installation is not active.'
  const problems = [{ errorCode: 'INSTALLATION_NOT_ACTIVE', message }]
  await show(changeRequestWith({ kind: 'DETACH', approvalsNeeded: 0 }), {
    ...planOf(null, null),
    problems,
    operation: {
      planToken: null,
      operationType: 'DETACH',
      scope: { environmentKey: 'production', applicationRuntimeId: 'crm', workspaceId: 1 },
      installation: null,
      currentVersion: '1.0.0',
      targetVersion: '1.0.0',
      snapshotVersion: null,
      claim: null,
      resources: [],
      changes: [],
      stages: [],
      problems,
    },
  })
  const planned = page.getByRole('region', { name: 'What it would do' })
  await expect.element(planned).toMatchTextContent(/What it would do.*The plan cannot be made\.$/)
  await expect.element(page.getByText(message)).toBeVisible()
})
