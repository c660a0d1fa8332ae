import type pg from 'pg'
import { quoteName } from '#database/names.ts'
import type { TableHead } from './format.ts'

/** The rows of a page: fewer if they are large, so that a page has about `PAGE_BYTES`. */
const FIRST_PAGE = 16
const LARGEST_PAGE = 256
const PAGE_BYTES = 8 * 2 ** 20

/** All rows of a table as text, in the client's transaction. One page of them is in memory at a time. */
export async function* readRows(
  client: Pick<pg.Client, 'query'>,
  { table, columns }: TableHead,
): AsyncGenerator<(string | null)[]> {
  const texts = columns.map(({ name }) => `${quoteName(name)}::text`).join(', ')
  await client.query(`declare backup no scroll cursor for select ${texts} from ${table}`)
  for (let page = FIRST_PAGE; ;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `fetch ${page} from backup`,
      rowMode: 'array',
    })
    yield* rows
    if (rows.length < page) break
    page = nextPage(page, rows)
  }
  await client.query('close backup')
}

/** As many rows as fit if they are like the largest, and at most twice as many: the next ones may be larger. */
function nextPage(page: number, rows: readonly (string | null)[][]): number {
  const lengths = rows.map((row) => row.reduce((sum, text) => sum + (text?.length ?? 0), 1))
  const fitting = Math.floor(PAGE_BYTES / Math.max(...lengths))
  return Math.max(1, Math.min(fitting, 2 * page, LARGEST_PAGE))
}
