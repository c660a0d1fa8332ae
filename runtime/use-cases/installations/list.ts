import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { listInstallations as listRows } from '../../store/installations/list-installations.ts'
import type { After, InstallationQuery } from '../../store/installations/list-installations.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging/page.ts'
import { installationView } from '../../engine/installation-view.ts'

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
      isByTime(query.sort) ? row.updated_microseconds : row.bundle_id,
      row.bundle_install_id,
    ],
  })
}

const isByTime = (sort: InstallationQuery['sort']): boolean => sort.endsWith('updatedAt')

function readCursor({ cursor, sort }: InstallationQuery): After | undefined {
  const after = cursorValues(cursor, [isByTime(sort) ? 'number' : 'string', 'string'])
  if (after === null) return undefined
  const [value, id] = after
  const bundleInstallId = Uuid.safeParse(id)
  if (!bundleInstallId.success) throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
  return {
    value: isByTime(sort) ? cursorInteger(value) : String(value),
    bundleInstallId: bundleInstallId.data,
  }
}
