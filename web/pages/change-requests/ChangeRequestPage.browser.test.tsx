import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { refusal } from '../../testing/api.ts'
import { changeRequestWith } from '../../testing/change-request.ts'
import { queryClient } from '../../app/query-client.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import { keepAction } from '../../subjects/sign-in/interrupted-action.ts'
import { renderConsole } from '../../testing/render.tsx'
import { OLIVIA, serveScope } from '../../testing/served-scope.ts'

const show = async (request: ChangeRequestDetail, planToken: string | null = null) => {
  const { api } = await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    'GET /change-requests/{changeRequestId}/plan': () => ({ effect: null, planToken, problems: [] }),
    'POST /change-requests/{changeRequestId}/apply': () => ({ changeRequest: request }),
  })
  await renderConsole(`/change-requests/${request.changeRequestId}`)
  return api
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
        difference,
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
        message: 'The change request could not be applied before 2026-11-23T08:00:00.000Z.',
        parameters: { reason: 'changeTooLate', until: '2026-11-23T08:00:00.000Z' },
      },
      may: { edit: false, approve: false, reject: false, apply: false, override: false },
    }),
  )
  const main = page.getByRole('main')
  await expect.element(main.getByText('Expired', { exact: true })).toBeVisible()
  await expect.element(main.getByText(/could not be applied before/)).toBeVisible()
  await expect.element(main.getByRole('button', { name: 'Apply' })).not.toBeInTheDocument()
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

test('a request whose person had to sign in again asks for the same step again, and keeps the reason while its plan is read', async () => {
  const request = changeRequestWith({
    state: 'APPROVED',
    may: { edit: false, approve: false, reject: false, apply: true, override: true },
  })
  keepAction(OLIVIA.id, `change-request/${request.changeRequestId}`, { target: 'apply', reason: 'As agreed' })
  const api = await show(request, 'token-1')
  const dialog = page.getByRole('dialog', { name: 'Apply this change?' })
  await expect.element(dialog.getByRole('textbox')).toHaveValue('As agreed')

  // the request may arrive after "Loading…" is shown
  const read = Promise.withResolvers<undefined>()
  api.answer({
    'GET /change-requests/{changeRequestId}/plan': async () => {
      await read.promise
      return { effect: null, planToken: 'token-2', problems: [] }
    },
  })
  void invalidateEndpoints(queryClient, ['GET /change-requests/{changeRequestId}/plan'])
  const apply = dialog.getByRole('button', { name: 'Apply', exact: true })
  await expect.element(apply).toHaveAccessibleDescription('Loading…')
  read.resolve(undefined)
  await expect.element(apply).not.toHaveAccessibleDescription('Loading…')
  await apply.click()
  await expect
    .poll(() => api.requests('POST /change-requests/{changeRequestId}/apply').map(({ body }) => body))
    .toEqual([{ revision: 3, planToken: 'token-2', override: false, reason: 'As agreed' }])
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
