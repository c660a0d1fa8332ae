import * as z from 'zod'
import { Key } from '#contract/protocol/keys.ts'
import { Timestamp } from './common.ts'
import { BATCH_ITEM_STATES, WAVE_REASONS } from './vocabulary.ts'

export const WAVES_MAX = 20
/** As long as the grants of a person are kept with a batch. */
export const SOAK_SECONDS_MAX = 86_400
const AMOUNT_MAX = 1_000

const percent = z.string().regex(/^(100|[1-9]?\d)%$/)
/** A number, or a share of targets. */
const amount = (min: number, error: string) =>
  z.union([z.number().int().min(min).max(AMOUNT_MAX), min === 0 ? percent : percent.regex(/^[1-9]/)], {
    error,
  })
const NO_SIZE = 'Must be a whole number from 1 to 1000, or a share from 1% to 100%'
const NO_FAILURES = 'Must be a whole number from 0 to 1000, or a share from 0% to 100%'
const listOfWaves = <Item extends z.ZodType<number | string>>(item: Item) =>
  z
    .array(item)
    .min(1, 'Must have at least 1 item')
    .max(WAVES_MAX - 1, `Must have at most ${WAVES_MAX - 1} items`)

/**
 * How a batch is divided into waves, and the conditions for each wave but the first. Only targets that the plan does not
 * refuse are in a wave.
 */
const definition = {
  /** How many targets each wave has, each a number or a share of all of them, rounded up. The others are the last wave. */
  sizes: listOfWaves(amount(1, NO_SIZE)).optional(),
  /** Instead of `sizes`: each is a wave, in this order. Targets in other environments are the last wave. */
  environments: listOfWaves(Key)
    .refine((keys) => new Set(keys).size === keys.length, 'Must not have the same item twice')
    .optional(),
  /** How long a wave waits after the last result of the wave before. */
  soakSeconds: z
    .number()
    .int()
    .min(0, 'Must be at least 0')
    .max(SOAK_SECONDS_MAX, `Must be at most ${SOAK_SECONDS_MAX}`)
    .default(0),
  /** A wave waits if more targets of the wave before failed or were refused at their turn. A share is rounded down. */
  maxFailures: amount(0, NO_FAILURES).default(0),
  /**
   * A wave waits if a smaller share of the attempts of a plugin that the wave before called has succeeded since that wave began,
   * in percent. Without it, plugins are not examined.
   */
  minPluginSuccess: z.number().int().min(1, 'Must be at least 1').max(100, 'Must be at most 100').optional(),
}
export const WavesRequest = z
  .strictObject(definition)
  .refine(({ sizes, environments }) => (sizes === undefined) !== (environments === undefined), {
    path: ['sizes'],
    error: 'Must be given, or `environments`, and not both',
  })
export const Waves = z.object(definition)
export type Waves = z.infer<typeof Waves>

/** Why the next wave does not start yet. */
export const WaitingWave = z.object({
  /** The wave that waits. */
  wave: z.number().int(),
  because: z.array(z.enum(WAVE_REASONS)),
  /** When the soak time ends, if that is a reason. */
  until: Timestamp.optional(),
  /** The plugins of which too few attempts have succeeded, each with the share of those that have, in percent. */
  plugins: z.array(z.object({ pluginId: Key, success: z.number() })),
})
export type WaitingWave = z.infer<typeof WaitingWave>

/** One wave, with the items that the caller may see. */
export const Wave = z.object({
  wave: z.number().int(),
  /** Of its targets, at most 20. */
  environments: z.array(Key),
  counts: z.record(z.enum(BATCH_ITEM_STATES), z.number().int().nonnegative()),
  /** A person continued with it in spite of the conditions. */
  released: z.literal(true).optional(),
})
export type Wave = z.infer<typeof Wave>
