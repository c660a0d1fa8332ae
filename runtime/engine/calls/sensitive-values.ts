import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { getOwn } from '#contract/json-schema/get-own.ts'
import type { FrozenPlan, Writes } from '../../model/plan.ts'
import type { NewSecrets, RecordedAttempt } from '../../model/attempt.ts'

/** Every sensitive business value that an operation contains. None may be recorded where people can read it. */
export function sensitiveValues(plan: FrozenPlan, writes: readonly (Writes | null)[]): JsonValue[] {
  const definitions = new Map(plan.resources.map((resource) => [resource.locator, resource.definitions]))
  const isSensitive = (locator: string, property: string): boolean => {
    const definition = getOwn(definitions.get(locator) ?? {}, property)
    // without a definition, assume that it is sensitive
    return definition === undefined || definition.isSensitive === true
  }
  const found: JsonValue[] = []
  const add = (locator: string, property: string, value: TypedValue | null): void => {
    if (value?.['@type'] !== 'Data') return
    if (value.isSensitive === true || isSensitive(locator, property)) found.push(value.value)
  }
  for (const { locator, properties } of plan.resources) {
    for (const [property, value] of Object.entries(properties)) add(locator, property, value)
  }
  for (const { locator, property, before, after } of plan.changes) {
    add(locator, property, before)
    add(locator, property, after)
  }
  for (const written of writes) {
    for (const [locator, properties] of Object.entries(written ?? {})) {
      for (const [property, value] of Object.entries(properties)) add(locator, property, value)
    }
  }
  return found
}

/** The business values that writes flag as sensitive. */
export const sensitiveIn = (writes: Writes): JsonValue[] =>
  Object.values(writes)
    .flatMap((properties) => Object.values(properties))
    .flatMap((value) => (value['@type'] === 'Data' && value.isSensitive === true ? [value.value] : []))

/** The values that this answer revealed as sensitive. They may occur in earlier answers of this plugin or another. */
export function newSecrets({ key, judgement, after }: RecordedAttempt): NewSecrets | null {
  const secrets = after.endedWell ? sensitiveIn(judgement.writes) : []
  return secrets.length === 0 ? null : { operationId: key.operationId, secrets }
}
