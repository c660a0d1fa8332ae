// Addresses outside of the platform that lead to the logs and traces of one operation. Without zod: the console fills them in.

/** What can be filled in. `from` and `to` are times in UTC, a minute before the run started and a minute after it ended. */
export const LINK_PLACEHOLDERS = ['operationId', 'bundleInstallId', 'traceId', 'from', 'to'] as const
type Placeholder = (typeof LINK_PLACEHOLDERS)[number]

const PLACEHOLDER = /\{(\w+)\}/g
const isKnown = (name: string): name is Placeholder => LINK_PLACEHOLDERS.some((known) => known === name)

// in each program that uses this contract; the compiler does not load the types of any of them here
declare const URL: {
  parse(
    text: string,
  ): { protocol: string; origin: string; host: string; username: string; password: string } | null
}

/** Whether a text is the address of a web page: http or https, and no user information. */
export function isWebPage(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    !/\s/.test(text)
  )
}

/** Whether a text is a web page with known placeholders, none of them in the host: that is what a person trusts. */
export function isLinkTemplate(text: string): boolean {
  const filled = (value: string) =>
    text.replaceAll(PLACEHOLDER, (placeholder, name: string) => (isKnown(name) ? value : placeholder))
  const [one, other] = [filled('a'), filled('b')]
  return !/[{}]/.test(one) && isWebPage(one) && URL.parse(one)?.origin === URL.parse(other)?.origin
}

/** The address for these values, each encoded. */
export function fillLink(template: string, values: Readonly<Record<Placeholder, string>>): string {
  return template.replaceAll(PLACEHOLDER, (placeholder, name: string) =>
    isKnown(name) ? encodeURIComponent(values[name]) : placeholder,
  )
}

/** The host of an address; empty if it is none. */
export const hostOf = (address: string): string => URL.parse(address)?.host ?? ''
