import type { Problem } from '#contract/console-api/console-problem.ts'
import type { ApiError } from '../../api/client.ts'
import { pointerTo } from '#contract/json-schema/json.ts'

/** One error in a request, as the server reports it. */
export type Detail = NonNullable<Problem['details']>[number]

/** The part of a failed submit that its fields do not show. */
export interface SubmitError {
  error: ApiError
  /** Errors of values that no field of the form contains. */
  unplaced: readonly Detail[]
  /** Whether the fields show every error. */
  isAtFields: boolean
}

/** Groups errors by field. `fieldOf` returns the field of a detail, or null if the form has none. */
export function placeDetails<Name extends string>(
  details: readonly Detail[],
  fieldOf: (detail: Detail) => Name | null,
): { placed: Map<Name, Detail[]>; unplaced: Detail[] } {
  const placed = new Map<Name, Detail[]>()
  const unplaced: Detail[] = []
  for (const detail of details) {
    const name = fieldOf(detail)
    if (name === null) unplaced.push(detail)
    else placed.set(name, [...(placed.get(name) ?? []), detail])
  }
  return { placed, unplaced }
}

/** Finds the field named after a member of the body, a parameter of the path, or an ancestor of the value. */
export const fieldOfRequest =
  <Name extends string>(names: readonly Name[]) =>
  ({ path = '' }: Detail): Name | null => {
    const [part, member] = path.split('.')
    return part === 'body' || part === 'path' ? (names.find((name) => name === member) ?? null) : null
  }

/** The position of a detail inside its field, as a JSON pointer; empty for the whole field. */
export function pathInField({ property, path = '' }: Detail): string {
  if (property !== undefined) return path
  // `body.consumers.0.workspaceId`: the field is `consumers`
  return pointerTo(...path.split('.').slice(2))
}
