import { momentAt } from '#contract/runtime-api/moment.ts'
import { readSentence } from '#contract/runtime-api/sentence.ts'
import type { Sentence } from '#contract/runtime-api/sentence.ts'
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

interface TextFilter {
  q?: string | undefined
  timeZone?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

/** A filter of operations with its search text taken apart: the words, and the time within that of the other filters. */
export function resolveSearch<Filter extends TextFilter>(
  filter: Filter,
  clock: RuntimeDeps['clock'],
): { filter: Omit<Filter, 'timeZone'>; sentence: Sentence | null } {
  const { timeZone, ...resolved } = resolveMoments(filter, clock)
  if (filter.q === undefined || filter.q === '') return { filter: resolved, sentence: null }
  const sentence = readSentence(filter.q, { now: clock.now().getTime(), timeZone: timeZone ?? 'UTC' })
  const since = [resolved.since, sentence.since]
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1)
  const until = [resolved.until, sentence.until].filter((time) => time !== undefined).toSorted()[0]
  const read = {
    ...resolved,
    // a text without a word finds nothing, but one that says only when it was finds all of that time
    q: sentence.words.length === 0 && sentence.phrase === undefined ? filter.q : sentence.words.join(' '),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
  return { filter: read, sentence }
}
