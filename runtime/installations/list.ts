import { Uuid } from '#contract/protocol/keys.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { Refusal } from '../refusal.ts'
import { decodeCursor, encodeCursor } from '../store/cursor.ts'
import { listInstallations as listRows } from '../store/installations/list-installations.ts'
import type {
  After,
  InstallationQuery,
  ListedInstallation,
} from '../store/installations/list-installations.ts'
import { installationView } from './view.ts'

type Name = 'GET /installations'

/** Installations of every scope that the actor may see. */
export async function listInstallations(
  { world, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const rows = await listRows(world.db, actor, query, readCursor(query))
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  return {
    items: page.map(installationView),
    nextCursor: rows.length > page.length && last !== undefined ? writeCursor(query.sort, last) : null,
  }
}

const isByTime = (sort: InstallationQuery['sort']): boolean => sort.endsWith('updatedAt')

function writeCursor(sort: InstallationQuery['sort'], row: ListedInstallation): string {
  return encodeCursor([isByTime(sort) ? row.updated_microseconds : row.bundle_id, row.bundle_install_id])
}

function readCursor({ cursor, sort }: InstallationQuery): After | undefined {
  if (cursor === undefined) return undefined
  const [value, id] = decodeCursor(cursor, [isByTime(sort) ? 'number' : 'string', 'string'])
  const bundleInstallId = Uuid.safeParse(id)
  if (value === undefined || !bundleInstallId.success || (isByTime(sort) && !Number.isSafeInteger(value)))
    throw new Refusal('REQUEST_INVALID', 'The cursor is not one of this list. Begin again without it.')
  return { value, bundleInstallId: bundleInstallId.data }
}
