import type { Answer, Input, ReadContext } from '../context.ts'
import { listInstallations as listRows, SORTS } from '../../store/installations/list-installations.ts'
import type {
  After,
  InstallationQuery,
  ListedInstallation,
} from '../../store/installations/list-installations.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf } from '../paging/page.ts'
import { installationView } from '../../engine/views.ts'

type Name = 'GET /installations'

/** Installations of every scope that the actor may see. */
export async function listInstallations(
  { deps, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const rows = await listRows(deps.db, actor, query, readCursor(query))
  return pageOf(rows, query.limit, {
    item: (row) => installationView(row),
    valuesOf: (row) => [
      ...SORTS[query.sort].columns.map((column) => valueOf(row, column)),
      row.bundle_install_id,
    ],
  })
}

type Column = (typeof SORTS)[InstallationQuery['sort']]['columns'][number]

const valueOf = (row: ListedInstallation, column: Column): string | number =>
  column === 'updated_at' ? row.updated_microseconds : row[column]

function readCursor({ cursor, sort }: InstallationQuery): After | undefined {
  const { columns } = SORTS[sort]
  const after = cursorValues(cursor, [
    ...columns.map((column) => (column === 'updated_at' ? 'number' : 'string')),
    'string',
  ])
  if (after === null) return undefined
  return {
    values: columns.map((column, place) =>
      column === 'updated_at' ? cursorInteger(after[place]) : String(after[place]),
    ),
    bundleInstallId: cursorUuid(after.at(-1)),
  }
}
