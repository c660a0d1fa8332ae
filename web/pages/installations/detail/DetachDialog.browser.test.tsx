import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { OperationPlan } from '#contract/console-api/shapes.ts'
import { refusal, serveApi } from '../../../testing/api.ts'
import { installationDetail } from '../../../testing/installation.ts'
import { renderInConsole } from '../../../testing/render.tsx'
import { DetachDialog } from './Actions.tsx'

const { installation } = installationDetail
const { environmentKey, applicationRuntimeId, workspaceId } = installation
const call = { pluginId: 'tenants', order: 10, reads: [], writes: [] }
const planWith = (planToken: string, availability: 'READY' | 'DISABLED'): OperationPlan => ({
  planToken,
  operationType: 'DETACH',
  scope: { environmentKey, applicationRuntimeId, workspaceId },
  installation,
  currentVersion: '1.0.0',
  targetVersion: '1.0.0',
  snapshotVersion: 3,
  claim: null,
  resources: [],
  changes: [],
  stages: [{ stage: 'BEFORE_RESOURCES', calls: [{ ...call, availability }] }],
  problems: [],
})
const PLAN = 'POST /installations/{bundleInstallId}/detach/plan'
const PROBE = 'POST /plugins/{pluginId}/probe'
const probed = (failure: 'tls-expired' | null) => ({
  pluginId: 'tenants',
  endpoint: 'https://tenants.example.com/lifecycle',
  failure,
  testedAt: '2026-11-22T08:00:00.000Z',
})
const DETACH = 'POST /installations/{bundleInstallId}/detach'

const reason = page.getByRole('textbox', { name: /Reason for detaching/ })
const word = page.getByRole('textbox', { name: /Type crm/ })

test('a stale plan keeps what was typed, says what moved, and is replaced by the new plan', async () => {
  const api = await serveApi({
    [PLAN]: () => planWith('first', 'READY'),
    [PROBE]: () => probed(null),
    [DETACH]: () =>
      refusal({
        status: 409,
        code: 'PLAN_STALE',
        message: 'The plan has changed.',
        details: [
          { errorCode: 'PLAN_STALE', message: 'The registration of a plugin of bundle crm has changed.' },
        ],
      }),
  })
  const screen = await renderInConsole(<DetachDialog detail={installationDetail} onClose={() => undefined} />)
  await expect.element(screen.getByText('tenants').first()).toBeVisible()
  await userEvent.fill(reason, 'The pilot is over')
  await userEvent.fill(word, 'crm')
  api.answer({ [PLAN]: () => planWith('second', 'DISABLED') })
  await userEvent.click(screen.getByRole('button', { name: 'Detach' }))

  await expect.element(screen.getByText('The plan is out of date')).toBeVisible()
  await expect
    .element(screen.getByText('The registration of a plugin of bundle crm has changed.'))
    .toBeVisible()
  await expect.element(screen.getByText('disabled: the call will fail')).toBeVisible()
  await expect.element(reason).toHaveValue('The pilot is over')
  await userEvent.click(screen.getByRole('button', { name: 'Detach' }))
  await expect
    .poll(() => api.requests(DETACH).map(({ body }) => (body as { planToken: string }).planToken))
    .toEqual(['first', 'second'])
})

test('says which plugins can be connected to now, and what follows if one cannot', async () => {
  const api = await serveApi({
    [PLAN]: () => planWith('first', 'READY'),
    [PROBE]: () => probed('tls-expired'),
  })
  const screen = await renderInConsole(<DetachDialog detail={installationDetail} onClose={() => undefined} />)
  const probes = screen.getByRole('region', { name: 'Can the plugins be reached now?' })
  await expect.element(probes.getByText(/Certificate expired \(tested/).first()).toBeVisible()
  await expect.element(probes.getByText('https://tenants.example.com/lifecycle')).toBeVisible()
  await expect.element(probes.getByText(/ask an administrator to retire it/)).toBeVisible()
  expect(api.requests(DETACH)).toHaveLength(0)
})

test('where a policy requires an approval, the dialog offers a review and calls nothing refused', async () => {
  const needed = { errorCode: 'APPROVAL_REQUIRED' as const, message: 'An approval is required.' }
  await serveApi({
    [PLAN]: () => ({ ...planWith('first', 'READY'), problems: [needed] }),
    [PROBE]: () => probed(null),
  })
  const screen = await renderInConsole(<DetachDialog detail={installationDetail} onClose={() => undefined} />)
  await expect.element(screen.getByText('This environment requires an approved change request')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Request review' })).toBeVisible()
  expect(screen.getByText('This would be refused').elements()).toEqual([])
})
