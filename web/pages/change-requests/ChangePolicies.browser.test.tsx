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

test('a policy that somebody else has set meanwhile is not replaced unseen', async () => {
  const api = await serveApi({
    'GET /session': () => ({
      user: { id: 'olivia', name: 'Olivia' },
      roles: ['admin'],
      permissions: ['policy:write'],
      grants: [{ permissions: ['policy:write'], scope: null }],
      environmentMarks: [],
    }),
    'GET /change-policies': () => ({ items: [policyOf(1, SEEN)], nextCursor: null }),
    'PUT /change-policies/{environmentKey}': () => refusal({ status: 409, code: 'CHANGE_POLICY_STALE' }),
  })
  await renderInConsole(<ChangePolicies onClose={() => undefined} />)
  await expect.element(page.getByText('production', { exact: true })).toBeVisible()
  await page.getByRole('textbox', { name: 'Environment' }).fill('production')
  api.answer({
    'GET /change-policies': () => ({ items: [policyOf(3, CHANGED)], nextCursor: null }),
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Someone else has changed it since you read it.')).toBeVisible()
  const [sent] = api.requests('PUT /change-policies/{environmentKey}')
  expect(sent?.body).toMatchObject({ updatedAt: SEEN })
  await expect.element(page.getByText(/3 approvals/)).toBeVisible()
})
