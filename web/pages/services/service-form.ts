import type { Service } from '#contract/console-api/shapes.ts'
import type { ScopeKey } from '../../paths.ts'

/** The form as it is on the screen; the body is made of it when it is sent. */
export type ServiceForm = {
  serviceId: string
  title: string
  url: string
  methods: string
  owner: { bundleInstallId: string; locator: string } | null
  consumers: ScopeKey[]
  enabled: boolean
}

export const formOf = (service: Service | null): ServiceForm => ({
  serviceId: service?.serviceId ?? '',
  title: service?.title ?? '',
  url: service?.url ?? '',
  methods: service?.methods.join('\n') ?? '',
  owner: service?.owner ?? null,
  consumers: service?.consumers ?? [],
  enabled: service?.enabled ?? true,
})

const METHOD = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/

/** The methods of a text, one a line, each once. */
export const methodsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
]

export const wrongMethod = (text: string): string | undefined =>
  methodsOf(text).find((method) => !METHOD.test(method))
