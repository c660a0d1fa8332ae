import { interval, mean, round } from '../report.ts'
import type { Result } from '../report.ts'
import type { RetentionMeasured } from './measure-retention.ts'

/**
 * What retention costs at full load, and how much smaller operations are without their attempts. A process with 8,000 old
 * operations processes operations with and without retention alternately.
 */
export function retentionResults({ pairs, bytes, removedPerSecond }: RetentionMeasured): Result[] {
  // logarithms, because the mean of ratios would depend on which way is divided by the other
  const ratios = pairs.map((pair) => Math.log(pair.with / pair.without))
  const [low, high] = interval(ratios).map((ratio) => 1 - Math.exp(ratio)) as [number, number]
  return [
    {
      name: 'retention',
      rows: (['without', 'with'] as const).map((way) => ({
        retention: way,
        'operations per second': Math.round(mean(pairs.map((pair) => pair[way]))),
        slices: pairs.map((pair) => Math.round(pair[way])).join(' '),
        'removed per second': way === 'with' ? Math.round(removedPerSecond) : 0,
      })),
      figure: 1 - Math.exp(mean(ratios)),
      goal: 0.05,
      meaning:
        'The part of the operations per second that is lost while retention removes old operations; at most the goal. ' +
        `95 % interval of this run: ${round(high, 3)} to ${round(low, 3)}.`,
    },
    {
      name: 'retention size',
      rows: [
        { 'an operation with two calls': 'with attempts', bytes: Math.round(bytes.before) },
        { 'an operation with two calls': 'without', bytes: Math.round(bytes.after) },
      ],
      figure: round(bytes.after / bytes.before),
      goal: 0.5,
      meaning:
        'Bytes of an operation in compact tables with their indexes, without its attempts divided by with them; at most the goal.',
    },
  ]
}
