import * as z from 'zod/mini'
import type { FieldPath } from 'react-hook-form'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { isLinkTemplate, isWebPage, repeatedCodes } from '#contract/console-api/vocabulary.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { isAddress } from '../../forms/fields/address.ts'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { LIMIT_RANGE, LIMITS, readLimit, type Limit } from './plugin-limits.ts'

/** An empty entry of the list. */
export const NO_RUNBOOK = { errorCode: '', title: '', text: '', url: '', ownerTeam: '', ownerContact: '' }

const isErrorCode = (text: string): boolean => /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(text)

/** One runbook; each error is at its field. */
const runbookSchema = (t: Translate) =>
  z
    .object({
      errorCode: z.string().check(z.refine(isErrorCode, t('plugins.form.runbook.errorCode.invalid'))),
      title: z.string().check(z.refine((text) => text.trim() !== '', t('plugins.form.missing'))),
      text: z.string(),
      url: z
        .string()
        .check(z.refine((text) => text === '' || isWebPage(text), t('plugins.form.runbook.url.invalid'))),
      ownerTeam: z.string(),
      ownerContact: z
        .string()
        .check(z.refine((text) => text === '' || isContact(text), t('plugins.form.ownerContact.invalid'))),
    })
    .check(
      z.refine(({ url, text }) => url !== '' || text.trim() !== '', {
        path: ['url'],
        error: t('plugins.form.runbook.empty'),
      }),
      z.refine(({ ownerTeam, ownerContact }) => ownerContact === '' || ownerTeam.trim() !== '', {
        path: ['ownerTeam'],
        error: t('plugins.form.missing'),
      }),
    )

/** The form's values; limits are stored as typed. */
export const pluginSchema = (t: Translate) => {
  const limit = (name: Limit) =>
    z
      .string()
      .check(
        z.refine((text) => readLimit(name, text) !== 'invalid', t('plugins.form.number', LIMIT_RANGE[name])),
      )
  const link = z
    .string()
    .check(z.refine((text) => text === '' || isLinkTemplate(text), t('plugins.form.links.invalid')))
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
      runbooks: z.array(runbookSchema(t)).check(({ value, issues }) => {
        for (const index of repeatedCodes(value))
          issues.push({
            code: 'custom',
            input: value[index]?.errorCode,
            path: [index, 'errorCode'],
            message: t('plugins.form.runbook.errorCode.twice'),
          })
      }),
      logsLink: link,
      tracesLink: link,
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
    runbooks: (plugin?.runbooks ?? []).map(({ errorCode, title, text: words = '', url = '', owner }) => ({
      errorCode,
      title,
      text: words,
      url,
      ownerTeam: owner?.team ?? '',
      ownerContact: owner?.contact ?? '',
    })),
    logsLink: plugin?.links?.logs ?? '',
    tracesLink: plugin?.links?.traces ?? '',
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
  runbooks,
  logsLink,
  tracesLink,
  reason,
  ...limits
}: PluginForm) {
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
    ...ownerIn({ ownerTeam, ownerContact }),
    ...(runbooks.length > 0 && { runbooks: runbooks.map(runbookOf) }),
    ...((logsLink !== '' || tracesLink !== '') && {
      links: { ...(logsLink !== '' && { logs: logsLink }), ...(tracesLink !== '' && { traces: tracesLink }) },
    }),
    ...reasonIn({ reason }),
  }
}

function ownerIn({ ownerTeam, ownerContact }: Pick<PluginForm, 'ownerTeam' | 'ownerContact'>) {
  const team = ownerTeam.trim()
  return team === '' ? {} : { owner: { team, ...(ownerContact !== '' && { contact: ownerContact }) } }
}

function runbookOf({ errorCode, title, text, url, ...owner }: PluginForm['runbooks'][number]) {
  return {
    errorCode,
    title: title.trim(),
    ...(text.trim() !== '' && { text: text.trim() }),
    ...(url !== '' && { url }),
    ...ownerIn(owner),
  }
}

/** The field of a value in the request, for an error that the server found. */
export function pluginFieldOf(path: string): FieldPath<PluginForm> | null {
  const [, index, member, inner] = /^body\.runbooks\.(\d+)\.(\w+)(?:\.(\w+))?/.exec(path) ?? []
  if (index !== undefined && member !== undefined) {
    const field = member === 'owner' ? (inner === 'contact' ? 'ownerContact' : 'ownerTeam') : member
    return isRunbookField(field) ? `runbooks.${Number(index)}.${field}` : null
  }
  return FIELDS_OF_REQUEST[path] ?? null
}

const isRunbookField = (name: string): name is keyof typeof NO_RUNBOOK => Object.hasOwn(NO_RUNBOOK, name)

const FIELDS_OF_REQUEST: Readonly<Record<string, FieldPath<PluginForm>>> = {
  'body.owner.team': 'ownerTeam',
  'body.owner.contact': 'ownerContact',
  'body.links.logs': 'logsLink',
  'body.links.traces': 'tracesLink',
}
