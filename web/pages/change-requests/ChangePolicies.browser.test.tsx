import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { refusal, serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { ChangePolicies } from './ChangePolicies.tsx'

const [SEEN, CHANGED] = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:05:00.000Z']
const policyOf = (approvals: number, updatedAt: string) => ({
  environmentKey: 'production',
  requiredFor: ['CONFIGURE' as const],
  approvals,
  updatedAt,
})

const SESSION = () => ({
  user: { id: 'olivia', name: 'Olivia' },
  roles: ['admin'],
  permissions: ['policy:write' as const],
  grants: [{ permissions: ['policy:write' as const], scope: null }],
  environmentMarks: [],
})

const KEPT = {
  environmentKey: 'production',
  CONFIGURE: false,
  INSTALL: true,
  UPGRADE: false,
  DETACH: false,
  TAKEOVER: false,
  BATCH: true,
  approvals: '2',
  reason: 'Two of us watch',
}

async function choose(environment: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Environment' }).fill(environment)
  await page.getByRole('option', { name: new RegExp(`^${environment}`) }).click()
}

/** Nothing is to be entered before. */
async function chooseProduction(): Promise<void> {
  await expect.element(page.getByRole('switch')).toHaveLength(0)
  await choose('production')
}

test('a policy needs a recent sign-in, and comes back as it was entered', async () => {
  await serveApi({
    'GET /session': SESSION,
    'GET /change-policies': () => ({ items: [], nextCursor: null }),
    'PUT /change-policies/{environmentKey}': () => refusal({ status: 403, code: 'RECENT_SIGN_IN_REQUIRED' }),
  })
  const resumed = { target: '', reason: JSON.stringify(KEPT) }
  await renderInConsole(<ChangePolicies resumed={resumed} onClose={() => undefined} />)
  await expect.element(page.getByRole('combobox', { name: 'Environment' })).toHaveValue('production')
  await expect.element(page.getByRole('textbox', { name: /Reason/ })).toHaveValue('Two of us watch')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByRole('button', { name: 'Sign in again' })).toBeVisible()
})

test('a policy that somebody else has set meanwhile is not replaced unseen', async () => {
  const api = await serveApi({
    'GET /session': SESSION,
    'GET /change-policies': () => ({ items: [policyOf(1, SEEN)], nextCursor: null }),
    'GET /scopes': () => ({ items: [], nextCursor: null }),
    'PUT /change-policies/{environmentKey}': () => refusal({ status: 409, code: 'CHANGE_POLICY_STALE' }),
  })
  await renderInConsole(<ChangePolicies resumed={null} onClose={() => undefined} />)
  await expect.element(page.getByText('production', { exact: true })).toBeVisible()
  await chooseProduction()
  api.answer({
    'GET /change-policies': () => ({ items: [policyOf(3, CHANGED)], nextCursor: null }),
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Someone else has changed it since you read it.')).toBeVisible()
  const [sent] = api.requests('PUT /change-policies/{environmentKey}')
  expect(sent?.body).toMatchObject({ updatedAt: SEEN })
  await expect.element(page.getByText(/3 approvals/)).toBeVisible()
})

test('nor is one that somebody else has set during a sign-in', async () => {
  const api = await serveApi({
    'GET /session': SESSION,
    'GET /change-policies': () => ({ items: [policyOf(3, CHANGED)], nextCursor: null }),
    'PUT /change-policies/{environmentKey}': () => refusal({ status: 503, code: 'SERVICE_UNAVAILABLE' }),
  })
  const resumed = { target: SEEN, reason: JSON.stringify(KEPT) }
  await renderInConsole(<ChangePolicies resumed={resumed} onClose={() => undefined} />)
  await expect.element(page.getByText(/3 approvals/)).toBeVisible()
  const save = page.getByRole('button', { name: 'Save' })
  await save.click()
  // this one says nothing about the other policy
  await expect.poll(() => api.requests('PUT /change-policies/{environmentKey}').length).toBeGreaterThan(0)
  await expect.element(page.getByRole('alert')).toBeVisible()
  const unseen = api.requests('PUT /change-policies/{environmentKey}').length
  api.answer({
    'PUT /change-policies/{environmentKey}': () => refusal({ status: 409, code: 'CHANGE_POLICY_STALE' }),
  })
  await save.click()
  await expect.element(page.getByText('Someone else has changed it since you read it.')).toBeVisible()
  // who then saves again has read both
  await expect
    .poll(async () => {
      await save.click()
      return api.requests('PUT /change-policies/{environmentKey}').at(-1)?.body
    })
    .toMatchObject({ updatedAt: CHANGED })
  const sent = api.requests('PUT /change-policies/{environmentKey}').slice(0, unseen + 1)
  for (const { body } of sent) expect(body).toMatchObject({ updatedAt: SEEN })
})

test('the form begins with the present policy of the environment', async () => {
  const api = await serveApi({
    'GET /session': SESSION,
    'GET /change-policies': () => ({
      items: [{ ...policyOf(2, SEEN), requiredFor: ['CONFIGURE' as const, 'BATCH' as const] }],
      nextCursor: null,
    }),
    'GET /scopes': () => ({ items: [], nextCursor: null }),
    'PUT /change-policies/{environmentKey}': () => policyOf(2, CHANGED),
  })
  await renderInConsole(<ChangePolicies resumed={null} onClose={() => undefined} />)
  await expect.element(page.getByText('production', { exact: true })).toBeVisible()
  await chooseProduction()
  await expect.element(page.getByRole('switch', { name: /Batch/ })).toBeChecked()
  await page.getByRole('switch', { name: /Upgrade/ }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => api.requests('PUT /change-policies/{environmentKey}').length).toBe(1)
  const [sent] = api.requests('PUT /change-policies/{environmentKey}')
  expect(sent?.body).toMatchObject({ requiredFor: ['CONFIGURE', 'UPGRADE', 'BATCH'], approvals: 2 })
})

test('another environment begins with its own policy, and not with that of the one before', async () => {
  await serveApi({
    'GET /session': SESSION,
    'GET /change-policies': () => ({
      items: [{ ...policyOf(3, SEEN), requiredFor: ['DETACH' as const] }],
      nextCursor: null,
    }),
    'GET /scopes': () => ({ items: [], nextCursor: null }),
  })
  await renderInConsole(<ChangePolicies resumed={null} onClose={() => undefined} />)
  await expect.element(page.getByText('production', { exact: true })).toBeVisible()
  const configure = page.getByRole('switch', { name: 'Configure' })
  const detach = page.getByRole('switch', { name: 'Detach' })
  const approvals = page.getByRole('textbox', { name: 'Approvals' })
  await chooseProduction()
  await expect.element(configure).not.toBeChecked()
  await expect.element(approvals).toHaveValue('3')
  await choose('staging')
  await expect.element(configure).toBeChecked()
  await expect.element(approvals).toHaveValue('1')
  await detach.click()
  await choose('production')
  await expect.element(detach).toBeChecked()
  await expect.element(configure).not.toBeChecked()
  await expect.element(approvals).toHaveValue('3')
})
