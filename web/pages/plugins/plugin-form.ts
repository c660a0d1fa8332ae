import * as z from 'zod/mini'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { isAddress } from '../../forms/fields/address.ts'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { LIMIT_RANGE, LIMITS, readLimit, type Limit } from './plugin-limits.ts'

/** The form's values; limits are stored as typed. */
export const pluginSchema = (t: Translate) => {
  const limit = (name: Limit) =>
    z
      .string()
      .check(
        z.refine((text) => readLimit(name, text) !== 'invalid', t('plugins.form.number', LIMIT_RANGE[name])),
      )
  return z
    .object({
      pluginId: z.string().check(z.refine(isKey, t('plugins.form.id.invalid'))),
      title: z.string().check(z.refine((text) => text.trim() !== '', t('plugins.form.missing'))),
      endpoint: z.string().check(z.refine(isAddress, t('plugins.form.endpoint.invalid'))),
      enabled: z.boolean(),
      version: z
        .string()
        .check(z.refine((text) => text === '' || isKey(text), t('plugins.form.version.invalid'))),
      ownerTeam: z.string(),
      ownerContact: z
        .string()
        .check(z.refine((text) => text === '' || isContact(text), t('plugins.form.ownerContact.invalid'))),
      timeoutMs: limit('timeoutMs'),
      maxAttempts: limit('maxAttempts'),
      maxBackoffMs: limit('maxBackoffMs'),
      reason: z.string(),
    })
    .check(
      z.refine(({ ownerTeam, ownerContact }) => ownerContact === '' || ownerTeam.trim() !== '', {
        path: ['ownerTeam'],
        error: t('plugins.form.missing'),
      }),
    )
}

const isContact = (text: string): boolean => isAddress(text) || /^mailto:[^\s@]+@[^\s@]+$/.test(text)

export type PluginForm = z.infer<ReturnType<typeof pluginSchema>>

export function pluginFormOf(plugin: Plugin | null): PluginForm {
  const text = (limit: Limit) => (plugin?.[limit] === undefined ? '' : String(plugin[limit]))
  return {
    pluginId: plugin?.pluginId ?? '',
    title: plugin?.title ?? '',
    endpoint: plugin?.endpoint ?? '',
    enabled: plugin?.enabled ?? true,
    version: plugin?.version ?? '',
    ownerTeam: plugin?.owner?.team ?? '',
    ownerContact: plugin?.owner?.contact ?? '',
    timeoutMs: text('timeoutMs'),
    maxAttempts: text('maxAttempts'),
    maxBackoffMs: text('maxBackoffMs'),
    reason: '',
  }
}

/** The request body. An empty limit is omitted, so that the default applies. */
export function pluginBodyOf({
  title,
  endpoint,
  enabled,
  version,
  ownerTeam,
  ownerContact,
  reason,
  ...limits
}: PluginForm) {
  const team = ownerTeam.trim()
  const set = LIMITS.flatMap((limit) => {
    const value = readLimit(limit, limits[limit])
    return typeof value === 'number' ? [[limit, value]] : []
  })
  return {
    title: title.trim(),
    endpoint,
    enabled,
    ...(version !== '' && { version }),
    // its keys are the names of the limits, and its values numbers, just above
    ...(Object.fromEntries(set) as Partial<Record<Limit, number>>),
    ...(team !== '' && { owner: { team, ...(ownerContact !== '' && { contact: ownerContact }) } }),
    ...reasonIn({ reason }),
  }
}
