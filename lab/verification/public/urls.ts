import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Address } from '#contract/runtime-api/plugins.ts'
import { allowsDestination, destinationOf } from '#http-kit/egress.ts'
import { judge, type Case, type Explanation, type PartReport } from './comparison.ts'

type UrlCase = { input: string; base: string | null } & (
  | { failure: true }
  | {
      href: string
      protocol: string
      username: string
      hostname: string
      port: string
      search: string
      hash: string
    }
)

const EXPLANATIONS: readonly Explanation[] = [
  {
    difference: 'refused',
    why: 'an address is written in full: two slashes after the scheme, and nothing before it',
    cases: { 'urltestdata.json': '185 204 206 216 218 287' },
  },
  {
    difference: 'accepted',
    why: 'an empty user name is none: the address is kept without it, as it is called',
    cases: { 'urltestdata.json': '4 231 235 256' },
  },
  {
    difference: 'accepted, and is no URL',
    why: 'Node keeps a Punycode label that decodes to nothing; no name server has such a name',
    cases: { 'urltestdata.json': '307 308 310 311 312 313 901' },
  },
]

/** The URL cases of the WHATWG without a base, against the check of addresses that are registered and what calls to them may reach. */
export function compareUrls(data: string): PartReport {
  const path = join(data, 'urls', 'url', 'tests', 'urltestdata.json')
  // the suite's own format; texts between the cases are comments
  const all = JSON.parse(readFileSync(path, 'utf8')) as (string | UrlCase)[]
  const cases = all.flatMap((one, index): Case[] => {
    if (typeof one === 'string' || one.base !== null) return []
    const about = { file: 'urltestdata.json', id: String(index), name: JSON.stringify(one.input) }
    return [{ ...about, difference: differenceOf(one) }]
  })
  return judge('URLs', cases, EXPLANATIONS)
}

function differenceOf(one: UrlCase): string | null {
  const { data: kept, success: isAccepted } = Address.safeParse(one.input)
  if ('failure' in one) return isAccepted ? 'accepted, and is no URL' : null
  const { href, protocol, hostname, port } = one
  const isWeb = protocol === 'http:' || protocol === 'https:'
  const isPlain = isWeb && !/[@?#]/.test(one.input)
  if (isAccepted !== isPlain) return isAccepted ? 'accepted' : 'refused'
  if (!isAccepted) return null
  if (kept !== href && `${kept}/` !== href) return `kept as ${kept}`
  const destination = destinationOf(new URL(kept))
  const expectedPort = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  if (destination.host !== host || destination.port !== expectedPort)
    return 'would reach another host or port'
  const isReached = allowsDestination(
    [{ kind: 'host', host: 'other.example', port: null, isHttpAllowed: true }],
    destination,
  )
  return isReached ? 'is allowed by the rule of another host' : null
}
