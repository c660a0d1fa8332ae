import type { Answer, Input, ReadContext } from '../context.ts'
import { findInstalledProperties } from '../../store/catalog/find-properties.ts'
import { identityOf } from '../../engine/views.ts'

/** A list of matches would otherwise contain one property of many installations only. */
const PER_PROPERTY = 3

/** Properties of active installations, by title or name. */
export async function findProperties(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /installed-properties'>,
): Promise<Answer<'GET /installed-properties'>> {
  const rows = await findInstalledProperties(deps.db, actor, { ...query, perProperty: PER_PROPERTY })
  return {
    items: rows.map((row) => ({
      installation: identityOf(row),
      locator: row.locator,
      resourceTitle: row.resource,
      property: row.property,
      title: row.title,
    })),
  }
}
