import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Summary } from '#contract/runtime-api/summary.ts'
import { serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { Clocks } from './OverviewPage.tsx'

const summary: Summary = {
  installations: { NOT_INSTALLED: 0, ACTIVE: 0, DETACHED: 0 },
  outdated: 0,
  claims: [],
  nextSteps: [],
  operations: { PENDING: 0, RUNNING: 0, WAITING: 0, SUCCEEDED: 0, FAILED: 0, TAKEN_OVER: 0 },
  clockAheadMs: null,
}

for (const clockAheadMs of [-400_000, 400_000])
  test(`a difference of the clocks is told with its size: ${clockAheadMs} ms`, async () => {
    serveApi({ 'GET /summary': () => ({ ...summary, clockAheadMs }) })
    await renderInConsole(<Clocks />)
    await expect.element(page.getByText(/differ by 6.min 40.s\. .* synchronize the clocks/)).toBeVisible()
  })

test('clocks that agree are not mentioned', async () => {
  serveApi({ 'GET /summary': () => summary })
  await renderInConsole(
    <>
      <Clocks />
      <p>the page</p>
    </>,
  )
  await expect.element(page.getByText('the page')).toBeVisible()
  await expect.element(page.getByRole('status')).not.toBeInTheDocument()
})
