import type { Problem } from '#contract/console-api/problem.ts'
import type { ApiError } from '../../api/client.ts'

/** One thing that is wrong with a request, as the server tells it. */
export type Detail = NonNullable<Problem['details']>[number]

/** A refused or lost submit, as far as its fields do not show it. */
export interface SubmitError {
  error: ApiError
  /** What is wrong with values that no field of the form holds. */
  unplaced: readonly Detail[]
  /** Whether the fields show everything that is wrong. */
  isAtFields: boolean
}

/** Sorts what is wrong by field: `fieldOf` says where a detail belongs, null where the form has no such field. */
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

/** Finds the field that has the name of a member of the body or of a parameter of the path, or of something inside of it. */
export const fieldOfRequest =
  <Name extends string>(names: readonly Name[]) =>
  ({ path = '' }: Detail): Name | null => {
    const [part, member] = path.split('.')
    return part === 'body' || part === 'path' ? (names.find((name) => name === member) ?? null) : null
  }

/** The place of a detail inside its field, as a JSON pointer; empty for the whole of it. */
export function pathInField({ property, path = '' }: Detail): string {
  if (property !== undefined) return path
  // `body.consumers.0.workspaceId`: the field is `consumers`
  return path
    .split('.')
    .slice(2)
    .map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
}
