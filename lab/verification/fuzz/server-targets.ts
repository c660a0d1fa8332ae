import { isDeepStrictEqual } from 'node:util'
import { Hono } from 'hono'
import fc from 'fast-check'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { STRICT_JSON_LIMITS } from '#contract/protocol/limits.ts'
import { StrictJsonScanner } from '#contract/protocol/strict-json-scanner.ts'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { maskStrings } from '#http-kit/text/scrub.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { readStrictJson } from '#http-kit/text/strict-json.ts'
import { readConsoleSettings } from '#bff/settings.ts'
import { cookieKit, cookiesOf, opaqueCookie } from '#bff/session/sessions.ts'
import { readRuntimeSettings } from '#runtime/config.ts'
import { ANSWERS, MANIFESTS } from './documents.ts'
import { edited, editedBytes, editedText } from './edits.ts'
import { SECRET } from './odd-values.ts'
import { bytes, structured } from './target.ts'
import type { Target } from './target.ts'

type Read = { value: JsonValue } | { refused: string }

function read(parse: () => JsonValue): Read {
  try {
    return { value: parse() }
  } catch (error) {
    if (error instanceof StrictJsonError) return { refused: error.message }
    throw error
  }
}

/** JSON.parse also accepts every accepted text, with the same value; the fast path and the scanner agree. */
function wrongOfJson(bytes: Uint8Array): string | null {
  const result = read(() => readStrictJson(bytes))
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return 'value' in result ? 'accepted what is not UTF-8' : null
  }
  const slow = read(() => new StrictJsonScanner(text, STRICT_JSON_LIMITS).document())
  if ('value' in result !== 'value' in slow) return 'the fast path and the scanner differ'
  if ('refused' in result) return result.refused === '' ? 'refused without a message' : null
  if ('value' in slow && !isDeepStrictEqual(result.value, slow.value))
    return 'the fast path and the scanner read different values'
  if (!isDeepStrictEqual(JSON.parse(text), result.value)) return 'JSON.parse reads another value'
  const again = read(() => parseStrictJson(JSON.stringify(result.value)))
  if ('refused' in again) return `refused once it is printed: ${again.refused}`
  // JSON does not distinguish -0 and 0
  return JSON.stringify(again.value) === JSON.stringify(result.value) ? null : 'different once it is printed'
}

/** No text that contains the secret is left, and everything else is unchanged. */
function wrongOfMask(json: JsonValue): string | null {
  const masked = maskStrings(json, [SECRET, 'sk'])
  if (JSON.stringify(masked).includes(SECRET)) return 'the secret is not masked'
  const text = JSON.stringify(json)
  const isChanged = JSON.stringify(masked) !== text
  const mayChange = text.includes(SECRET) || text.includes('"sk"') || looksEncoded(text)
  return isChanged && !mayChange ? 'something else was masked' : null
}

const ENCODED = [Buffer.from(SECRET).toString('hex'), Buffer.from(SECRET).toString('base64').slice(0, 8)].map(
  (text) => text.toLowerCase(),
)
const looksEncoded = (text: string): boolean => ENCODED.some((one) => text.toLowerCase().includes(one))

const kit = cookieKit(new URL('https://console.example.org'))
const cookies = new Hono().get('/', (c) => {
  const value = opaqueCookie(c, kit.session)
  const sent = cookiesOf(c).filter(([name]) => name === kit.session)
  const isWrong = value !== null && (sent.length !== 1 || !/^[A-Za-z0-9_-]{43}$/.test(value))
  return c.text(isWrong ? 'accepted a cookie that is invalid or duplicated' : 'fine')
})

async function wrongOfCookies(text: string): Promise<string | null> {
  let headers: Headers
  try {
    headers = new Headers({ cookie: text })
  } catch {
    // such a header never reaches a server
    return null
  }
  const answer = await (await cookies.request('/', { headers })).text()
  return answer === 'fine' ? null : answer
}

const RUNTIME_NAMES = [
  'RUNTIME_PORT',
  'PLATFORM_API_BASE',
  'EGRESS_ALLOW',
  'EGRESS_DENY',
  'LEASE_SECONDS',
  'LOG_LEVEL',
]
const CONSOLE_NAMES = [
  'PORT',
  'PUBLIC_URL',
  'RUNTIME_API_BASE',
  'RUNTIME_API_CREDENTIAL',
  'USERS',
  'LOG_LEVEL',
]

function wrongOfSettings([name, value]: [string, string]): string | null {
  for (const parse of [readRuntimeSettings, readConsoleSettings]) {
    try {
      parse({ [name]: value })
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      if (error.message.includes('\n')) return 'the message has more than one line'
      if (/CREDENTIAL|USERS/.test(name) && value.trim().length > 7 && error.message.includes(value.trim()))
        return 'the message contains a secret'
    }
  }
  return null
}

function wrongOfEgress(text: string): string | null {
  try {
    parseEgressAllow(text)
    return null
  } catch (error) {
    if (error instanceof SettingsError) return null
    throw error
  }
}

export const SERVER_TARGETS: readonly Target[] = [
  bytes(
    'strict JSON',
    editedBytes(
      [...ANSWERS, ...MANIFESTS, [1.5, -0, '\u00e9\ud83d\ude00', null]].map((json) => JSON.stringify(json)),
    ),
    wrongOfJson,
    { share: 6 },
  ),
  structured(
    'strict JSON of values',
    edited([...ANSWERS, ...MANIFESTS]),
    (json) => wrongOfJson(Buffer.from(JSON.stringify(json))),
    { share: 2 },
  ),
  structured('masking', edited(ANSWERS), wrongOfMask),
  bytes(
    'cookies',
    editedText([
      `${kit.session}=${'a'.repeat(43)}`,
      `a=b; ${kit.session}=${'A-_'.repeat(14)}x; ${kit.session}=${'b'.repeat(43)}`,
      ` = ;;; ${kit.session}`,
    ]),
    wrongOfCookies,
  ),
  bytes(
    'settings',
    fc.tuple(
      fc.constantFrom(...RUNTIME_NAMES, ...CONSOLE_NAMES),
      editedText([
        '8081',
        'https://console.example.org',
        'loopback,10.0.0.0/8',
        '60',
        'info',
        '[fd00::/8]:8443',
      ]),
    ),
    wrongOfSettings,
    { regressions: [['EGRESS_ALLOW', '808\r\n1']] },
  ),
  bytes(
    'egress rules',
    editedText(['loopback', '10.1.0.0/16', '[fd00::/8]:8443', 'example.org:443, 127.0.0.1']),
    wrongOfEgress,
  ),
]
