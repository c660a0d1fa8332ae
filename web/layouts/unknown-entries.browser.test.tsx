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
  useInfiniteQuery({
    queryKey: ['grown'],
    queryFn: () => ({ items: [], ...(unknown.grown > 0 && { unknownEntries: unknown.grown }) }),
    initialPageParam: 0,
    getNextPageParam: () => null,
  })
  return (
    <Page title="Lists">
      <button type="button" onClick={() => void list.refetch()}>
        Read again
      </button>
    </Page>
  )
}

test('a page says how many entries are missing because the runtime is newer, until they are known', async () => {
  await serveApi({ 'GET /recovery': () => ({ recovery: null }) })
  const unknown = { list: 2, grown: 1 }
  await renderInConsole(<Lists unknown={unknown} />)
  const notice = page.getByRole('status')
  await expect.element(notice).toMatchTextContent(/^3 entries are not shown: the runtime is newer/)
  unknown.list = 0
  await page.getByRole('button', { name: 'Read again' }).click()
  await expect.element(notice).toMatchTextContent(/^1 entry is not shown/)
})
