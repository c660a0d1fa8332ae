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
