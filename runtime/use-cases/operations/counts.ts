import type { Answer, Input, ReadContext } from '../context.ts'
import { DomainError } from '../../engine/refusals.ts'
import { countOperations as countRows } from '../../store/operations/count-operations.ts'
import type { Bucket } from '../../store/buckets.ts'
import { atMoments } from './moments.ts'

type Name = 'GET /operations/counts'

const BUCKET_MS: Record<Bucket, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
/** How far back the counts go by default: enough buckets for one plot. */
const DEFAULT_BUCKETS: Record<Bucket, number> = { minute: 120, hour: 48, day: 60 }
const BUCKETS_MAX = 1500
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00.000Z')

/** Operations by state and time. Empty buckets are absent. */
export async function countOperations(
  { deps, actor }: ReadContext,
  { query }: Input<Name>,
): Promise<Answer<Name>> {
  const { bucket, ...filter } = atMoments(query, deps.clock)
  const until = filter.until === undefined ? deps.clock.now().getTime() : Date.parse(filter.until)
  const since =
    filter.since === undefined
      ? Math.max(FIRST_INSTANT, until - DEFAULT_BUCKETS[bucket] * BUCKET_MS[bucket])
      : Date.parse(filter.since)
  if (until - since > BUCKETS_MAX * BUCKET_MS[bucket])
    throw new DomainError(
      'REQUEST_INVALID',
      `This time range has more than ${BUCKETS_MAX} buckets. Choose a shorter range or a larger bucket.`,
    )

  const rows = await countRows(deps.db, actor, { ...filter, since: new Date(since).toISOString() }, bucket)
  const buckets = new Map<string, Answer<Name>['buckets'][number]>()
  for (const row of rows) {
    const counted = buckets.get(row.since) ?? { since: row.since, counts: {} }
    counted.counts[row.state] = row.count
    buckets.set(row.since, counted)
  }
  return { bucket, buckets: [...buckets.values()] }
}
