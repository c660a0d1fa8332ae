import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { AuditChange } from '#contract/runtime-api/audit.ts'

/** The fields of an object that is not a resource, such as a plugin. Null and absent mean "not set". */
export type Fields = Readonly<Record<string, JsonValue | undefined>>

/** The fields that differ, before and after. `before` is null if the object did not exist. */
export function fieldChanges(before: Fields | null, after: Fields): AuditChange[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after)])
  return [...names].flatMap((property) => {
    const [old, now] = [before?.[property] ?? null, after[property] ?? null]
    if (deepEqual(old, now)) return []
    return [{ locator: null, property, before: viewOf(old), after: viewOf(now) }]
  })
}

function viewOf(value: JsonValue): AuditChange['after'] {
  return value === null ? null : { '@type': 'Data', value }
}
