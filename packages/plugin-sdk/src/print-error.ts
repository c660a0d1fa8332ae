import { withoutAccess } from './answer.ts'

/** How many causes of an error are printed. */
const MAX_CAUSES = 5

/** What an HTTP client puts into its messages: addresses, hosts that were not found, and IP addresses. */
const ADDRESSES = [
  /\b(?!file:)[a-z][a-z\d+.-]*:\/\/[^\s'"<>)]+/gi,
  /(?<=\b(?:ENOTFOUND|EAI_AGAIN) )\S+/g,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  /\b(?:[\da-f]{1,4}:){7}[\da-f]{1,4}\b|(?:\b[\da-f]{1,4}(?::[\da-f]{1,4})*)?::[\da-f]{1,4}(?::[\da-f]{1,4})*\b/gi,
]

/**
 * Prints an error and its causes to standard error, without addresses and tokens: the error of a failed call names the
 * address that a resolution gave, and neither address nor token may be logged (docs/protocol.md).
 * Properties of the error other than its name, message, code and stack are left out.
 *
 * @param options.during in what it occurred, for example `Operation 7, BEFORE_RESOURCES`; it begins the text.
 * @param options.accessMaterial what resolutions gave during the call: URLs and tokens.
 */
export function printError(
  error: unknown,
  { during = null, accessMaterial = [] }: { during?: string | null; accessMaterial?: Iterable<string> } = {},
): void {
  const text = describeError(error, accessMaterial)
  console.error(during === null ? text : `${during}: ${text}`)
}

/** Prints an error that concerns one event, or none. */
export const printEventError = (error: unknown, eventId: string | null): void =>
  printError(error, { during: eventId && `Event ${eventId}` })

/** The error as {@link printError} prints it. */
export function describeError(error: unknown, accessMaterial: Iterable<string>): string {
  const secrets = [...accessMaterial].flatMap((secret) => [secret, ...hostsOf(secret)])
  const clean = (text: string): string =>
    ADDRESSES.reduce((rest, pattern) => rest.replaceAll(pattern, '[removed]'), withoutAccess(text, secrets))
  const parts: string[] = []
  for (let one = error; one !== undefined && one !== null && parts.length <= MAX_CAUSES;) {
    const prefix = parts.length === 0 ? '' : 'Caused by '
    if (!(one instanceof Error)) {
      parts.push(prefix + clean(String(one)))
      break
    }
    const code = 'code' in one && typeof one.code === 'string' ? ` [${one.code}]` : ''
    // Node's message lists the names in the certificate.
    const message =
      code === ' [ERR_TLS_CERT_ALTNAME_INVALID]' ? 'The certificate is for other hosts' : one.message
    const frames = (one.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
    // A line of the message can look like a frame.
    parts.push([`${prefix}${one.name}${code}: ${clean(message)}`, ...frames.map(clean)].join('\n'))
    one = one.cause
  }
  return parts.join('\n')
}

/** The host of an address, with and without its port. */
function hostsOf(address: string): string[] {
  if (!URL.canParse(address)) return []
  const { host, hostname } = new URL(address)
  return [host, hostname].filter((name) => name !== '')
}
