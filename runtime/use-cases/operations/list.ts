import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { SearchReading } from '#contract/runtime-api/operations.ts'
import type { Sentence } from '#contract/runtime-api/sentence.ts'
import { OPERATIONS_TOTAL_MAX } from '#contract/runtime-api/vocabulary.ts'
import { DomainError } from '../../engine/refusals.ts'
import { operationView } from '../../engine/views.ts'
import type { Bucket } from '../../store/buckets.ts'
import { countOperationRows } from '../../store/operations/count-operations.ts'
import { SORTS } from '../../store/operations/filter-operations.ts'
import type { After } from '../../store/operations/filter-operations.ts'
import { listOperationRows, countMatching } from '../../store/operations/list-operations.ts'
import type { ListedOperation } from '../../store/operations/list-operations.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { encodeCursor, cursorInteger, cursorUuid, cursorValues, pageOf } from '../paging.ts'
import { resolveSearch } from './resolve-moments.ts'

type OperationsEndpoint = 'GET /operations'

/** Operations of every scope that the actor may see. */
export async function listOperations(
  { deps, actor }: ReadContext,
  { query }: Input<OperationsEndpoint>,
): Promise<Answer<OperationsEndpoint>> {
  const after = readCursor(query)
  const { filter, sentence } = resolveSearch(query, deps.clock)
  const { rows, readTo, words } = await listOperationRows(deps.db, actor, filter, after)
  const isByEnd = SORTS[query.sort].by === 'finished_at'
  const cursorOf = ({ microseconds, operationId, hasEnded }: After) =>
    isByEnd ? [microseconds, operationId, hasEnded ? ENDED : OPEN] : [microseconds, operationId]
  const page = pageOf(rows, query.limit, {
    item: (row: ListedOperation) => operationView(row),
    valuesOf: ({ created_microseconds: created, finished_microseconds: finished, operation_id }) =>
      cursorOf({
        microseconds: isByEnd ? (finished ?? created) : created,
        operationId: operation_id,
        hasEnded: finished !== null,
      }),
  })
  const answer = sentence === null ? page : { ...page, search: readingOf(sentence, words) }
  if (page.nextCursor !== null || readTo === null) return answer
  return {
    ...answer,
    nextCursor: encodeCursor(cursorOf(readTo)),
    searchedTo: new Date(readTo.microseconds / 1000).toISOString(),
  }
}

const readingOf = (
  { phrase, since, until }: Sentence,
  words: { used: string[]; leftOut: string[] } | null,
): SearchReading => ({
  words: words?.used ?? [],
  leftOut: words?.leftOut ?? [],
  phrase: phrase ?? null,
  since: since ?? null,
  until: until ?? null,
})

/** The part of the list by end that a cursor is in. */
const ENDED = 'ended'
const OPEN = 'open'

function readCursor({ cursor, sort }: Input<OperationsEndpoint>['query']): After | undefined {
  const isByEnd = SORTS[sort].by === 'finished_at'
  const values = cursorValues(cursor, isByEnd ? ['number', 'string', 'string'] : ['number', 'string'])
  if (values === null) return undefined
  const [microseconds, id, part] = values
  if (isByEnd && part !== ENDED && part !== OPEN)
    throw new DomainError('REQUEST_INVALID', platformMessage('cursorInvalid'))
  return {
    microseconds: cursorInteger(microseconds),
    operationId: cursorUuid(id),
    hasEnded: part !== OPEN,
  }
}

type CountsEndpoint = 'GET /operations/counts'

const BUCKET_MS: Record<Bucket, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
/** How far back the counts go by default: enough buckets for one plot. */
const DEFAULT_BUCKETS: Record<Bucket, number> = { minute: 120, hour: 48, day: 60 }
const BUCKETS_MAX = 1500
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00.000Z')

/** Operations by state and time. Empty buckets are absent. */
export async function countOperations(
  { deps, actor }: ReadContext,
  { query }: Input<CountsEndpoint>,
): Promise<Answer<CountsEndpoint>> {
  const { bucket, ...filter } = resolveSearch(query, deps.clock).filter
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

  const counted = { ...filter, since: new Date(since).toISOString() }
  const rows = await countOperationRows(deps.db, actor, counted, { bucket, listed: filter })
  const buckets = new Map<string, Answer<CountsEndpoint>['buckets'][number]>()
  for (const row of rows) {
    const counted = buckets.get(row.since) ?? { since: row.since, counts: {} }
    counted.counts[row.state] = row.count
    buckets.set(row.since, counted)
  }
  return { bucket, buckets: [...buckets.values()] }
}

type TotalEndpoint = 'GET /operations/total'

/** How many operations match the filters, of those that the actor may see. */
export async function countMatchingOperations(
  { deps, actor }: ReadContext,
  { query }: Input<TotalEndpoint>,
): Promise<Answer<TotalEndpoint>> {
  const { count, isPartial } = await countMatching(
    deps.db,
    actor,
    resolveSearch(query, deps.clock).filter,
    OPERATIONS_TOTAL_MAX + 1,
  )
  return { total: Math.min(count, OPERATIONS_TOTAL_MAX), isMore: isPartial || count > OPERATIONS_TOTAL_MAX }
}
