import { mayIn } from '#contract/endpoint/permission.ts'
import type { PropertyRow } from '#contract/runtime-api/properties.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { claimOf, identityOf } from '../../engine/views.ts'
import { configurationPlace } from '../../sealing/places.ts'
import { openingEach, openingWith } from '../../sealing/sealed-value.ts'
import { listProperty } from '../../store/configuration/list-property.ts'
import type { ListedProperty, PropertyPlace } from '../../store/configuration/list-property.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { resolveMoments } from '../operations/resolve-moments.ts'
import { cursorInteger, cursorUuid, cursorValues, encodeCursor } from '../paging.ts'
import { canonicalText } from '../plans/plan-token.ts'

/** One property of a bundle in every installation that the actor may see. */
export async function listPropertyValues(
  context: ReadContext,
  { query }: Input<'GET /properties'>,
): Promise<Answer<'GET /properties'>> {
  const { deps, actor } = context
  const after = placeOf(cursorValues(query.cursor, ['string', 'string', 'number', 'string']))
  const { rows, continueAfter } = await listProperty(deps.db, actor, resolveMoments(query, deps.clock), after)
  const groups = await equalityGroups(context, query.property, rows)
  return {
    items: rows.map((row) => rowView(row, query.property, groups.get(row))),
    nextCursor:
      continueAfter &&
      encodeCursor([
        continueAfter.environment_key,
        continueAfter.application_runtime_id,
        continueAfter.workspace_id,
        continueAfter.bundle_install_id,
      ]),
  }
}

function placeOf(values: (string | number)[] | null): PropertyPlace | undefined {
  if (values === null) return undefined
  const [environment, runtime, workspace, id] = values
  return {
    environment_key: String(environment),
    application_runtime_id: String(runtime),
    workspace_id: cursorInteger(workspace),
    bundle_install_id: cursorUuid(id),
  }
}

function rowView(row: ListedProperty, property: string, equalityGroup: number | undefined): PropertyRow {
  return {
    installation: identityOf(row),
    title: row.title,
    // an ACTIVE installation has one
    version: row.version ?? '',
    claim: claimOf(row),
    locator: row.locator,
    resourceTitle: row.resource_title,
    property,
    definition: row.definition,
    writtenBy: row.written_by,
    value: propertyView(row.definition, row.value),
    origin: row.value === null ? null : row.manager?.startsWith('default:') ? 'default' : 'setHere',
    manager: row.value === null ? null : row.manager,
    lastChange:
      row.snapshot_version === null || row.changed_at === null
        ? null
        : {
            snapshotVersion: row.snapshot_version,
            at: row.changed_at,
            by: { id: row.changed_by_id ?? '', name: row.changed_by_name ?? '' },
            reason: row.change_reason,
          },
    ...(equalityGroup !== undefined && { equalityGroup }),
  }
}

/**
 * Numbers the equal values among the hidden ones of a page, for a person who may change them. The numbers are those of
 * the page alone. A value that does not open has none, and neither has one that the person set last: it could be a guess,
 * which would be compared with all others without being counted (docs/decisions/0082-hidden-values.md).
 */
async function equalityGroups(
  { deps: { db, vault }, actor }: ReadContext,
  property: string,
  rows: readonly ListedProperty[],
): Promise<Map<ListedProperty, number>> {
  const hidden = rows.filter(
    ({ value, definition, ...row }) =>
      value?.['@type'] === 'Data' &&
      (definition.isSensitive === true || value.isSensitive === true) &&
      row.changed_by_id !== actor.id &&
      mayIn(actor.grants, 'configuration:write', scopeOf(row)),
  )
  const open = openingWith(vault)
  const texts = await openingEach(vault, db, hidden, ({ value, scope_id, locator }) => {
    const opened = value && open(value, configurationPlace(scope_id, locator, property))
    return canonicalText(opened?.['@type'] === 'Data' ? opened.value : null)
  })
  const numbers = new Map<string, number>()
  const groups = new Map<ListedProperty, number>()
  for (const [index, row] of hidden.entries()) {
    const text = texts[index]
    if (typeof text !== 'string') continue
    const number = numbers.get(text) ?? numbers.size + 1
    numbers.set(text, number)
    groups.set(row, number)
  }
  return groups
}
