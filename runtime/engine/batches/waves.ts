import type { WaveReason } from '#contract/runtime-api/vocabulary.ts'
import type { Waves } from '#contract/runtime-api/waves.ts'
import type { WaveProgress } from '../../model/batch-progress.ts'

/**
 * The wave of each target, from 1, without gaps. A wave without targets does not exist.
 *
 * @param environments Of each target, in the order of the batch.
 */
export function divide({ sizes, environments }: Waves, targets: readonly string[]): number[] {
  const groups =
    environments === undefined
      ? groupsBySize(sizes ?? [], targets.length)
      : targets.map((environment) => {
          const index = environments.indexOf(environment)
          return index === -1 ? environments.length : index
        })
  const used = [...new Set(groups)].toSorted((one, other) => one - other)
  return groups.map((group) => used.indexOf(group) + 1)
}

function groupsBySize(sizes: NonNullable<Waves['sizes']>, count: number): number[] {
  const ends: number[] = []
  for (const size of sizes) ends.push((ends.at(-1) ?? 0) + Math.ceil(amountOf(size, count)))
  return Array.from({ length: count }, (_, index) => {
    const group = ends.findIndex((end) => index < end)
    return group === -1 ? ends.length : group
  })
}

/** What an amount is of a number of targets. */
const amountOf = (amount: number | string, of: number): number =>
  typeof amount === 'number' ? amount : (Number.parseInt(amount, 10) * of) / 100

/** The conditions that the next wave waits for, once the wave before has all of its results. Empty if it may start. */
export function unmetConditions(progress: WaveProgress): WaveReason[] {
  if (progress.isReleased) return []
  const { soakSeconds, maxFailures } = progress.waves
  return [
    ...(progress.soaked < soakSeconds ? (['SOAK'] as const) : []),
    ...(progress.failures > Math.floor(amountOf(maxFailures, progress.items)) ? (['FAILURES'] as const) : []),
    ...(unhealthyPlugins(progress).length > 0 ? (['PLUGINS'] as const) : []),
  ]
}

/** The plugins of which too few attempts have succeeded, each with the share of those that have, in percent. */
export function unhealthyPlugins({
  waves: { minPluginSuccess },
  plugins,
}: Pick<WaveProgress, 'waves' | 'plugins'>): { pluginId: string; success: number }[] {
  if (minPluginSuccess === undefined) return []
  return plugins
    .filter(({ attempts, succeeded }) => succeeded * 100 < minPluginSuccess * attempts)
    .map(({ pluginId, attempts, succeeded }) => ({
      pluginId,
      success: Math.floor((succeeded * 100) / attempts),
    }))
}
