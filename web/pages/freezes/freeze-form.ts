import * as z from 'zod/mini'
import { isTimeZone } from '#contract/json-schema/time-zone.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { parseScope, scopeText } from '#contract/protocol/scope-text.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Freeze } from '#contract/console-api/shapes.ts'
import { CHANGE_KINDS, WEEKDAYS, type ChangeKind, type Weekday } from '#contract/console-api/vocabulary.ts'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { offsetIn } from '../../i18n/zone.ts'
import type { Translate } from '../../i18n/use-text.ts'

const MINUTE = 60_000

/** The form's values; times as the browser's fields have them. */
export const freezeSchema = (t: Translate) => {
  const needed = z.string().check(z.refine((text) => text.trim() !== '', t('freezes.form.missing')))
  return z
    .object({
      name: z.string().check(z.refine(isKey, t('freezes.form.name.invalid'))),
      places: z.array(z.string()).check(z.refine((places) => places.length > 0, t('freezes.form.none'))),
      repeats: z.enum(['once', 'weekly']),
      from: z.string(),
      to: z.string(),
      days: z.array(z.enum(WEEKDAYS)),
      fromTime: z.string(),
      toTime: z.string(),
      timeZone: z.string().check(z.refine(isTimeZone, t('freezes.form.zone.invalid'))),
      blocks: z
        .array(z.enum(CHANGE_KINDS))
        .check(z.refine((kinds) => kinds.length > 0, t('freezes.form.none'))),
      allowsRecovery: z.boolean(),
      message: needed,
      reason: z.string(),
    })
    .check(
      // in any zone: that of the form has its own error
      ...(['from', 'to'] as const).map((path) =>
        z.refine<FreezeForm>((form) => form.repeats !== 'once' || instantOf(form[path], 'UTC') !== null, {
          path: [path],
          error: t('freezes.form.time.invalid'),
        }),
      ),
      z.refine(
        ({ repeats, from, to, timeZone }) =>
          repeats !== 'once' || (instantOf(from, timeZone) ?? '') < (instantOf(to, timeZone) ?? '~'),
        { path: ['to'], error: t('freezes.form.to.invalid') },
      ),
      z.refine((form) => form.repeats !== 'weekly' || form.days.length > 0, {
        path: ['days'],
        error: t('freezes.form.none'),
      }),
      ...(['fromTime', 'toTime'] as const).map((path) =>
        z.refine<FreezeForm>((form) => form.repeats !== 'weekly' || isTimeOfDay(form[path]), {
          path: [path],
          error: t('freezes.form.daytime.invalid'),
        }),
      ),
    )
}

export interface FreezeForm {
  name: string
  /** Environments, or scopes as texts. */
  places: string[]
  repeats: 'once' | 'weekly'
  from: string
  to: string
  days: Weekday[]
  fromTime: string
  toTime: string
  timeZone: string
  blocks: ChangeKind[]
  allowsRecovery: boolean
  message: string
  reason: string
}

export function freezeFormOf(freeze: Freeze | null): FreezeForm {
  const timeZone = freeze?.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone
  const local = (at: string | null | undefined) => (at == null ? '' : localText(Date.parse(at), timeZone))
  return {
    name: freeze?.name ?? '',
    places: freeze === null ? [] : placeTexts(freeze),
    repeats: freeze !== null && freeze.weekly !== null ? 'weekly' : 'once',
    from: local(freeze?.from),
    to: local(freeze?.to),
    days: freeze?.weekly?.days ?? ['SAT', 'SUN'],
    fromTime: freeze?.weekly?.from ?? '00:00',
    toTime: freeze?.weekly?.to ?? '00:00',
    timeZone,
    blocks: freeze?.blocks ?? [...CHANGE_KINDS],
    allowsRecovery: freeze?.allowsRecovery ?? true,
    message: freeze?.message ?? '',
    reason: '',
  }
}

/** The body of the request; the form is valid. */
export function freezeBodyOf(form: FreezeForm) {
  const isOnce = form.repeats === 'once'
  return {
    ...placesIn(form.places),
    ...(isOnce
      ? { from: instantOf(form.from, form.timeZone), to: instantOf(form.to, form.timeZone) }
      : { weekly: { days: form.days, from: form.fromTime, to: form.toTime } }),
    timeZone: form.timeZone,
    blocks: form.blocks,
    allowsRecovery: form.allowsRecovery,
    message: form.message.trim(),
    ...reasonIn(form),
  }
}

export const placeTexts = ({ environments, scopes }: Pick<Freeze, 'environments' | 'scopes'>): string[] =>
  environments ?? (scopes ?? []).map((scope) => scopeText(scope))

/** The field offers no scopes beside environments, nor environments beside scopes. */
function placesIn(places: readonly string[]): { environments: string[] } | { scopes: Scope[] } {
  const environments = places.filter((place) => isKey(place))
  if (environments.length > 0) return { environments }
  return { scopes: places.flatMap((place) => parseScope(place) ?? []) }
}

const isTimeOfDay = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

const LOCAL = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d)$/

/** The instant at which a clock in the zone shows this; null if the text is not a date and time. */
function instantOf(text: string, timeZone: string): string | null {
  const found = LOCAL.exec(text.trim())
  if (found === null || !isTimeZone(timeZone)) return null
  const local = Date.parse(`${found.slice(1, 4).join('-')}T${found.slice(4).join(':')}:00.000Z`)
  if (Number.isNaN(local)) return null
  const offset = offsetIn(timeZone)
  // the offset at this moment may be another one than at the guess
  return new Date(local - offset(local - offset(local) * MINUTE) * MINUTE).toISOString()
}

const localText = (at: number, timeZone: string): string =>
  new Date(at + offsetIn(timeZone)(at) * MINUTE).toISOString().slice(0, 16)
