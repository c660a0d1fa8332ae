import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { serveApi } from '../../testing/api.ts'
import { changeRequestWith } from '../../testing/change-request.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { OpenChangeRequests } from './OpenChangeRequests.tsx'

test('an open change request has its title and its author', async () => {
  const request = changeRequestWith({ title: 'Fewer seats', createdBy: { id: 'oscar', name: 'Oscar Bell' } })
  await serveApi({ 'GET /change-requests': () => ({ items: [request], nextCursor: null }) })
  await renderInConsole(<OpenChangeRequests of={{ bundleInstallId: crypto.randomUUID() }} />)
  await expect.element(page.getByRole('listitem')).toMatchTextContent(/Fewer seats.*Oscar Bell/)
})

test('on a phone, a long title is cut off, and not the state beside it', async () => {
  await page.viewport(360, 740)
  const request = changeRequestWith({ title: 'Fewer seats for everybody who does not need them any longer' })
  await serveApi({ 'GET /change-requests': () => ({ items: [request], nextCursor: null }) })
  await renderInConsole(<OpenChangeRequests of={{ bundleInstallId: crypto.randomUUID() }} />)
  const state = page.getByText('Open', { exact: true })
  await expect.element(state).toBeVisible()
  const { scrollWidth, clientWidth } = state.element()
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth)
})
