import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Plugin, PluginReport, PluginReportDetail } from '#contract/console-api/shapes.ts'
import { refusal } from '../../../testing/api.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { serveScope } from '../../../testing/served-scope.ts'

const DETAIL = 'GET /plugins/{pluginId}/reports/{version}'
const plugin: Plugin = {
  pluginId: 'tenants',
  title: 'Tenants',
  endpoint: 'https://tenants.example.com/lifecycle',
  enabled: true,
  owner: null,
  version: '2.4.0',
  check: 'NOT_PASSED',
  retired: null,
  credentials: [],
  updatedAt: '2026-11-20T08:00:00.000Z',
}
const report = (version: string, more: Partial<PluginReport> = {}): PluginReport => ({
  version,
  passed: false,
  complete: true,
  checkerVersion: '0.1.0',
  startedAt: '2026-11-23T05:00:00.000Z',
  docsUrl: null,
  uploadedAt: '2026-11-23T06:00:00.000Z',
  uploadedBy: { id: 'ada', name: 'Ada' },
  digest: 'a'.repeat(64),
  totals: { PASSED: 1, FAILED: 1, BLOCKED: 0, NOT_TESTED: 1 },
  ...more,
})
const passed = report('2.3.0', {
  passed: true,
  totals: { PASSED: 3, FAILED: 0, BLOCKED: 0, NOT_TESTED: 0 },
})
const findings: PluginReportDetail['findings'] = [
  {
    id: 'repeats.same',
    title: 'A repeat gets the same response',
    level: 'MUST',
    fix: 'Remember the response.',
    status: 'FAILED',
    problem: 'The second response differs.',
  },
  {
    id: 'late.call',
    title: 'A late call changes nothing',
    level: 'MUST',
    fix: 'Compare the sequence.',
    status: 'NOT_TESTED',
    problem: null,
  },
]

test('totals are shown at once; the findings of one report are loaded when it is opened', async () => {
  let answer: (detail: PluginReportDetail) => void = () => undefined
  const { api } = await serveScope({
    'GET /plugins/{pluginId}': () => plugin,
    'GET /plugins/{pluginId}/reports': () => ({ items: [passed, report('2.4.0')], nextCursor: null }),
    [DETAIL]: () => refusal({ status: 500, code: 'INTERNAL_ERROR' }),
  })
  await renderConsole('/plugins/tenants?tab=reports')
  const current = page.getByRole('region', { name: 'Version 2.4.0' })
  await expect.element(current.getByText('1 passed, 1 failed, 1 not tested')).toBeVisible()
  // every case passed, so there is nothing to open
  const earlier = page.getByRole('region', { name: 'Version 2.3.0' })
  await expect.element(earlier.getByText('3 passed, 0 failed, 0 not tested')).toBeVisible()
  expect(earlier.getByRole('group').elements()).toHaveLength(0)
  expect(api.requests(DETAIL)).toEqual([])

  await current.getByText('2 cases failed or not tested').click()
  const failed = current.getByRole('alert')
  await expect.element(failed).toBeVisible()
  api.answer({ [DETAIL]: () => new Promise((resolve) => (answer = resolve)) })
  await failed.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => api.requests(DETAIL).length).toBe(2)
  // another person has uploaded a newer report meanwhile: its totals replace those of the list
  const totals = { PASSED: 0, FAILED: 1, BLOCKED: 0, NOT_TESTED: 1 }
  answer({ ...report('2.4.0', { totals, uploadedAt: '2026-11-23T07:00:00.000Z' }), findings })
  await expect.element(current.getByText('The second response differs.')).toBeVisible()
  await expect.element(current.getByText('late.call')).toBeVisible()
  await expect.element(current.getByText('0 passed, 1 failed, 1 not tested')).toBeVisible()
  await expect.element(failed).not.toBeInTheDocument()
  expect(api.requests(DETAIL).map(({ params }) => params)).toEqual([
    { pluginId: 'tenants', version: '2.4.0' },
    { pluginId: 'tenants', version: '2.4.0' },
  ])
})
