import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { serveApi } from '../testing/api.ts'
import { renderInConsole } from '../testing/render.tsx'
import { Page } from './Page.tsx'

/** Two lists, one of which grows, as the console's server answers them beside a newer runtime. */
function Lists({ unknown }: { unknown: { list: number; grown: number } }) {
  const list = useQuery({
    queryKey: ['list'],
    queryFn: () => ({ items: [], unknownEntries: unknown.list }),
  })
  const grown = useInfiniteQuery({
    queryKey: ['grown'],
    queryFn: () => ({ items: [], ...(unknown.grown > 0 && { unknownEntries: unknown.grown }) }),
    initialPageParam: 0,
    getNextPageParam: () => null,
  })
  return (
    <Page title="Lists">
      <button type="button" onClick={() => void Promise.all([list.refetch(), grown.refetch()])}>
        Read again
      </button>
    </Page>
  )
}

test('a page says that entries are missing because the runtime is newer, until all are known', async () => {
  await serveApi({ 'GET /recovery': () => ({ recovery: null }) })
  const unknown = { list: 2, grown: 1 }
  await renderInConsole(<Lists unknown={unknown} />)
  const notice = page.getByRole('status')
  const again = page.getByRole('button', { name: 'Read again' })
  await expect.element(notice).toMatchTextContent(/^Some entries are not shown: the runtime is newer/)
  unknown.list = 0
  await again.click()
  await expect.element(notice).toBeVisible()
  unknown.grown = 0
  await again.click()
  await expect.element(notice).not.toBeInTheDocument()
})
