import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { Marks } from '../../model/marks.ts'

/** The definitions with the marked properties sensitive. */
export function markDefinitions(
  definitions: Readonly<Record<string, PropertyDefinition>>,
  marked: ReadonlySet<string> = new Set(),
): Record<string, PropertyDefinition> {
  return Object.fromEntries(
    Object.entries(definitions).map(([property, definition]) => [
      property,
      marked.has(property) && definition.kind === 'DATA' ? { ...definition, isSensitive: true } : definition,
    ]),
  )
}

/** A copy of a plan with later marks applied, for display. The frozen plan stays unchanged. */
export function withMarks(plan: FrozenPlan, marks: Marks): FrozenPlan {
  if (marks.size === 0) return plan
  const resources = plan.resources.map((resource) => ({
    ...resource,
    definitions: markDefinitions(resource.definitions, marks.get(resource.locator)),
  }))
  return { ...plan, resources }
}
