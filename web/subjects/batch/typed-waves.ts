import type { Batch } from '#contract/console-api/shapes.ts'
import { joinClauses, joinList } from '../../i18n/punctuation.ts'
import { formatDuration } from '../../i18n/format.ts'
import type { Translate } from '../../i18n/use-text.ts'

type Waves = NonNullable<Batch['waves']>

/** As typed. */
export interface TypedWaves {
  by: 'sizes' | 'environments'
  /** The sizes of all waves but the last, such as `1, 10%`. */
  sizes: string
  /** In the order of their waves. */
  environments: string[]
  /** Minutes. */
  soak: string
  /** A number or a share. */
  failures: string
  /** Percent, or empty. */
  success: string
}
export type WaveField = 'sizes' | 'soak' | 'failures' | 'success'

export const NEW_WAVES: Omit<TypedWaves, 'environments'> = {
  by: 'sizes',
  sizes: '1, 10%',
  soak: '10',
  failures: '0',
  success: '90',
}

const SIZES_MAX = 19
const SOAK_MINUTES_MAX = 1_440

/** The fields that are not valid. */
export function invalidWaves(typed: TypedWaves): ReadonlySet<WaveField> {
  const sizes = sizesIn(typed.sizes)
  const isValid: Record<WaveField, boolean> = {
    sizes:
      typed.by === 'environments' ||
      (sizes.length > 0 &&
        sizes.length <= SIZES_MAX &&
        sizes.every((size) => size !== null && size !== 0 && size !== '0%')),
    soak: wholeIn(typed.soak, 0, SOAK_MINUTES_MAX) !== null,
    failures: amountIn(typed.failures) !== null,
    success: typed.success.trim() === '' || wholeIn(typed.success, 1, 100) !== null,
  }
  return new Set((['sizes', 'soak', 'failures', 'success'] as const).filter((field) => !isValid[field]))
}

/** How the targets are divided, without conditions, for the plan; undefined if that is not valid. */
export function divisionIn(typed: TypedWaves): Waves | undefined {
  if (typed.by === 'environments')
    return typed.environments.length < 2
      ? undefined
      : { ...NO_CONDITIONS, environments: typed.environments.slice(0, SIZES_MAX) }
  if (invalidWaves(typed).has('sizes')) return undefined
  return { ...NO_CONDITIONS, sizes: sizesIn(typed.sizes).flatMap((size) => size ?? []) }
}
const NO_CONDITIONS = { soakSeconds: 0, maxFailures: 0 }

/** The waves to send, all of them valid; undefined if there is nothing to divide by. */
export function wavesIn(typed: TypedWaves): Waves | undefined {
  const division = divisionIn(typed)
  const minPluginSuccess = wholeIn(typed.success, 1, 100)
  return (
    division && {
      ...division,
      soakSeconds: (wholeIn(typed.soak, 0, SOAK_MINUTES_MAX) ?? 0) * 60,
      maxFailures: amountIn(typed.failures) ?? 0,
      ...(minPluginSuccess !== null && { minPluginSuccess }),
    }
  )
}

/** The waves that were made, to begin with them. */
export const typedFrom = (waves: Waves, environments: string[]): TypedWaves => ({
  by: waves.environments === undefined ? 'sizes' : 'environments',
  sizes: waves.sizes?.join(', ') ?? NEW_WAVES.sizes,
  environments: waves.environments ?? environments,
  soak: String(Math.ceil(waves.soakSeconds / 60)),
  failures: String(waves.maxFailures),
  success: String(waves.minPluginSuccess ?? ''),
})

/** How a batch is divided and under which conditions, in words. */
export const wavesText = (
  { sizes, environments, soakSeconds, maxFailures, minPluginSuccess }: Waves,
  t: Translate,
): string =>
  joinClauses(t, [
    joinList(t, environments ?? [...(sizes ?? []).map(String), t('batches.waves.rest')]),
    soakSeconds > 0 && t('batches.waves.soaks', { time: formatDuration(soakSeconds * 1_000, t) }),
    t('batches.waves.failures', { max: String(maxFailures) }),
    minPluginSuccess !== undefined && t('batches.waves.success', { min: minPluginSuccess }),
  ])

const sizesIn = (text: string): (number | string | null)[] =>
  text
    .split(/[,，、;\s]+/)
    .filter((part) => part !== '')
    .map(amountIn)

/** A whole number, or a share such as `10%`; null for anything else. */
function amountIn(text: string): number | string | null {
  const [, number, percent] = /^(\d{1,4})\s*([%％]?)$/.exec(text.trim()) ?? []
  if (number === undefined) return null
  if (percent === '') return Number(number) <= 1_000 ? Number(number) : null
  return Number(number) <= 100 ? `${Number(number)}%` : null
}

function wholeIn(text: string, min: number, max: number): number | null {
  if (!/^\d{1,5}$/.test(text.trim())) return null
  const number = Number(text)
  return number >= min && number <= max ? number : null
}
