import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Tx, Db } from '../../model/db.ts'
import type { Marks, StoredValue } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { configurationPlace, snapshotPlace } from '../../sealing/places.ts'
import { isSealed, sealingWith } from '../../sealing/sealed-value.ts'

/** A property of a resource in a scope. */
interface ScopedProperty {
  scopeId: number
  locator: string
  property: string
}

const SENSITIVE = { isSensitive: true }

/**
 * Seals the configuration and the history of properties that have become sensitive. Values and snapshots do not
 * change.
 */
export async function sealNewlySensitive(
  tx: Tx,
  vault: Vault,
  properties: readonly ScopedProperty[],
): Promise<void> {
  if (properties.length === 0) return
  await sealStanding(tx, vault, properties)
  await sealHistory(tx, vault, properties)
}

async function sealStanding(tx: Tx, vault: Vault, properties: readonly ScopedProperty[]): Promise<void> {
  const { rows } = await sql<KeyRow & { value: TypedValue }>`
    select standing.scope_id, standing.locator, standing.property, standing.value
    from runtime.configuration_property as standing join ${named(properties)} using (scope_id, locator, property)
    where standing.value ->> 'sealed' is null
    for no key update of standing`.execute(tx)
  if (rows.length === 0) return
  const seal = sealingWith(vault)
  const sealed = rows.map(({ scope_id, locator, property, value }) =>
    JSON.stringify(seal(value, configurationPlace(scope_id, locator, property), SENSITIVE)),
  )
  await sql`
    update runtime.configuration_property as standing set value = sealed.value::jsonb, key_order = null
    from unnest(${rows.map((row) => row.scope_id)}::bigint[], ${rows.map((row) => row.locator)}::text[],
      ${rows.map((row) => row.property)}::text[], ${sealed}::text[]) as sealed (scope_id, locator, property, value)
    where standing.scope_id = sealed.scope_id and standing.locator = sealed.locator
      and standing.property = sealed.property`.execute(tx)
}

async function sealHistory(tx: Tx, vault: Vault, properties: readonly ScopedProperty[]): Promise<void> {
  const { rows } = await sql<
    KeyRow & { snapshot_version: number; before: StoredValue | null; after: StoredValue | null }
  >`
    select change.scope_id, change.snapshot_version, change.locator, change.property, change.before, change.after
    from runtime.snapshot_change as change join ${named(properties)} using (scope_id, locator, property)
    where not change.is_sensitive
    for no key update of change`.execute(tx)
  if (rows.length === 0) return
  const seal = sealingWith(vault)
  const sealed = (side: 'before' | 'after'): (string | null)[] =>
    rows.map(({ scope_id: scopeId, snapshot_version: snapshotVersion, locator, property, [side]: value }) => {
      if (value === null) return null
      // an upgrade to a version that shows the property has sealed the value that it removed
      if (isSealed(value)) return textOf(value)
      const key = { scopeId, snapshotVersion, locator, property }
      return textOf(seal(value, snapshotPlace(key, side), SENSITIVE))
    })
  await sql`
    update runtime.snapshot_change as change
    set is_sensitive = true, before = sealed.before::jsonb, after = sealed.after::jsonb
    from unnest(${rows.map((row) => row.scope_id)}::bigint[], ${rows.map((row) => row.snapshot_version)}::bigint[],
      ${rows.map((row) => row.locator)}::text[], ${rows.map((row) => row.property)}::text[],
      ${sealed('before')}::text[], ${sealed('after')}::text[])
      as sealed (scope_id, snapshot_version, locator, property, before, after)
    where change.scope_id = sealed.scope_id and change.snapshot_version = sealed.snapshot_version
      and change.locator = sealed.locator and change.property = sealed.property`.execute(tx)
}

interface KeyRow {
  scope_id: number
  locator: string
  property: string
}

const textOf = (value: StoredValue): string => JSON.stringify(value)

const named = (properties: readonly ScopedProperty[]): RawBuilder<unknown> => sql`unnest(
  ${properties.map(({ scopeId }) => scopeId)}::bigint[], ${properties.map(({ locator }) => locator)}::text[],
  ${properties.map(({ property }) => property)}::text[]) as named (scope_id, locator, property)`

interface PropertyOfScope {
  scopeId: number
  locator: string
  property: string
}

/**
 * Whether properties that are no longer defined were sensitive when they last changed. A property without
 * a result counts as sensitive.
 */
export async function readKnownSensitivity(
  db: Db,
  properties: readonly PropertyOfScope[],
): Promise<(PropertyOfScope & { isSensitive: boolean })[]> {
  if (properties.length === 0) return []
  const found = await sql<PropertyOfScope & { isSensitive: boolean }>`
    select asked.scope_id as "scopeId", asked.locator, asked.property, last_change.is_sensitive as "isSensitive"
    from unnest(
      ${properties.map(({ scopeId }) => scopeId)}::bigint[],
      ${properties.map(({ locator }) => locator)}::text[],
      ${properties.map(({ property }) => property)}::text[]) as asked (scope_id, locator, property)
    join lateral (
      select is_sensitive from runtime.snapshot_change
      where scope_id = asked.scope_id and locator = asked.locator and property = asked.property
      order by snapshot_version desc limit 1) as last_change on true`.execute(db)
  return found.rows
}

/** Marks properties as sensitive from now on; replaces an earlier mark. */
export async function putMarks(tx: Tx, properties: readonly ScopedProperty[]): Promise<void> {
  await sql`
    insert into runtime.sensitive_mark (scope_id, locator, property)
    select * from unnest(${properties.map(({ scopeId }) => scopeId)}::bigint[],
      ${properties.map(({ locator }) => locator)}::text[], ${properties.map(({ property }) => property)}::text[])
    on conflict (scope_id, locator, property) do update set marked_at = excluded.marked_at`.execute(tx)
}

/** A change in an audit entry whose property was later marked as sensitive. */
export interface AuditMark {
  sequence: number
  locator: string
  property: string
}

/**
 * Returns the changes in these audit entries whose properties were marked as sensitive after the entry was written.
 */
export async function readAuditMarks(db: Db, sequences: readonly number[]): Promise<AuditMark[]> {
  if (sequences.length === 0) return []
  const { rows } = await sql<AuditMark>`
    select entry.sequence, mark.locator, mark.property
    from runtime.audit_entry as entry
    join runtime.scope as scope using (environment_key, application_runtime_id, workspace_id)
    cross join json_to_recordset(entry.changes) as change (locator text, property text)
    join runtime.sensitive_mark as mark
      on mark.scope_id = scope.scope_id and mark.locator = change.locator and mark.property = change.property
    where entry.sequence = any(${[...sequences]}::bigint[]) and mark.marked_at >= entry.at`.execute(db)
  return rows
}

/** Returns the properties in the scope of an operation that were marked as sensitive after it was created. */
export async function readMarksSince(db: Db, operationId: string): Promise<Marks> {
  const { rows } = await sql<{ locator: string; property: string }>`
    select mark.locator, mark.property
    from runtime.operation as operation join runtime.sensitive_mark as mark using (scope_id)
    where operation.operation_id = ${operationId} and mark.marked_at >= operation.created_at`.execute(db)
  const marks = new Map<string, Set<string>>()
  for (const { locator, property } of rows)
    marks.set(locator, (marks.get(locator) ?? new Set()).add(property))
  return marks
}
