import { expect, test } from 'vitest'
import type { OperationPlan } from '#contract/console-api/shapes.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { OperationPlanView } from './OperationPlanView.tsx'

const text = (value: string) => ({ '@type': 'Data', value }) as const
const changed = { locator: 'dev/crm/MODULE/core', property: 'name', before: text('a'), after: text('b') }
const hidden = { '@type': 'Data', isSensitive: true, isSet: true } as const
const aside = {
  locator: 'dev/crm/MODULE/core',
  property: 'password',
  before: hidden,
  after: null,
  isPutAside: true,
} as const

const planWith = (changes: OperationPlan['changes']): OperationPlan => ({
  planToken: 'token',
  operationType: 'UPGRADE',
  scope: { environmentKey: 'dev', applicationRuntimeId: 'lab', workspaceId: 1 },
  installation: null,
  currentVersion: '1.0.0',
  targetVersion: '2.0.0',
  snapshotVersion: 3,
  claim: null,
  resources: [],
  changes,
  stages: [],
  problems: [],
})

test('a value that is taken out of use is shown without opening the changes', async () => {
  const state = (changes: OperationPlan['changes']) => ({
    plan: planWith(changes),
    error: null,
    isChecking: false,
    refetch: () => undefined,
  })
  const screen = await renderInConsole(<OperationPlanView state={state([changed])} />)
  await expect.element(screen.getByText('1 value changes')).toBeVisible()
  await expect.element(screen.getByText('name', { exact: true })).not.toBeVisible()
  await screen.rerender(<OperationPlanView state={state([changed, aside])} />)
  await expect.element(screen.getByText(/Not in use/)).toBeVisible()
})
