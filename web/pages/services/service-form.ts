import * as z from 'zod/mini'
import type { Service } from '#contract/console-api/shapes.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { isAddress } from '../../forms/fields/address.ts'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** The form's values; methods are stored as typed. */
export const serviceSchema = (t: Translate) =>
  z
    .object({
      serviceId: z.string().check(z.refine(isKey, t('services.form.id.invalid'))),
      title: z.string().check(z.refine((text) => text.trim() !== '', t('services.form.missing'))),
      url: z.string().check(z.refine(isAddress, t('services.form.url.invalid'))),
      owner: z
        .nullable(z.object({ bundleInstallId: z.string(), locator: z.string() }))
        .check(z.refine((owner) => owner?.locator !== '', t('services.form.owner.incomplete'))),
      methods: z.string(),
      consumers: z.array(
        z.object({ environmentKey: z.string(), applicationRuntimeId: z.string(), workspaceId: z.number() }),
      ),
      enabled: z.boolean(),
      reason: z.string(),
    })
    .check(
      z.check(({ value, issues }) => {
        // with an owner, there is no methods field, and its content is not used
        const method = value.owner === null ? invalidMethod(value.methods) : undefined
        if (method === undefined) return
        const message = t('services.form.methods.invalid', { method })
        issues.push({ code: 'custom', path: ['methods'], input: value, message })
      }),
    )

export type ServiceForm = z.infer<ReturnType<typeof serviceSchema>>

export const serviceFormOf = (service: Service | null): ServiceForm => ({
  serviceId: service?.serviceId ?? '',
  title: service?.title ?? '',
  url: service?.url ?? '',
  methods: service?.methods.join('\n') ?? '',
  owner: service?.owner ?? null,
  consumers: service?.consumers ?? [],
  enabled: service?.enabled ?? true,
  reason: '',
})

export const serviceBodyOf = ({ title, url, methods, owner, consumers, enabled, reason }: ServiceForm) => ({
  title: title.trim(),
  url,
  methods: methodsOf(methods).filter(isMethod),
  owner,
  consumers,
  enabled,
  ...reasonIn({ reason }),
})

const METHOD = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/

/** The methods in a text, one per line, without duplicates. */
export const methodsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

const isMethod = (text: string): boolean => METHOD.test(text)

/** The first invalid method in a text. */
const invalidMethod = (text: string): string | undefined =>
  methodsOf(text).find((method) => !isMethod(method))
