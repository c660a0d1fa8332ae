import type { HealthFigures, PluginHealth } from '#contract/console-api/shapes.ts'
import { HEALTH_RANGES, healthStart, type HealthRange } from '#contract/console-api/vocabulary.ts'

export type Bucket = { from: number; to: number; figures: HealthFigures | null }

/** Every bucket of the range, also those without attempts, oldest first. */
export function bucketsOf({ buckets, until }: PluginHealth, range: HealthRange): Bucket[] {
  const { bucketMs } = HEALTH_RANGES[range]
  const bySince = new Map(buckets.map((bucket) => [Date.parse(bucket.since), bucket]))
  const end = Date.parse(until)
  const all: Bucket[] = []
  for (let from = healthStart(range, end); from <= end; from += bucketMs)
    all.push({ from, to: from + bucketMs, figures: bySince.get(from) ?? null })
  return all
}

/** Attempts with a definite result other than success. */
export const failedOf = ({ attempts, succeeded, uncertain }: HealthFigures): number =>
  attempts - succeeded - uncertain

/** The share of uncertain attempts in percent; null without attempts. */
export const uncertainShare = ({ attempts, uncertain }: HealthFigures): number | null =>
  attempts === 0 ? null : (uncertain / attempts) * 100
