import { momentAt } from '#contract/runtime-api/moment.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'

/** A filter with its durations before now as times. */
export function resolveMoments<Filter extends { since?: string | undefined; until?: string | undefined }>(
  filter: Filter,
  clock: RuntimeDeps['clock'],
): Filter {
  const now = clock.now().getTime()
  const { since, until } = filter
  return {
    ...filter,
    ...(since !== undefined && { since: momentAt(since, now) }),
    ...(until !== undefined && { until: momentAt(until, now) }),
  }
}
