import type { ApiError } from '../api/client.ts'

/** What the API says of one field of a body, as `body.endpoint` or inside of it; undefined while it says nothing. */
export function fieldProblem(error: ApiError | null, field: string): string | undefined {
  const detail = error?.problem.details?.find(
    ({ path }) => path === `body.${field}` || path?.startsWith(`body.${field}.`),
  )
  return detail?.message
}
