import { splitName } from './endpoint.ts'
import type { EndpointName, EndpointRow } from './endpoint.ts'

/** What a path of the scope or of the contract begins with, and what no name needs. */
const PREFIX =
  /^\/(?:scopes\/\{environmentKey\}\/\{applicationRuntimeId\}\/\{workspaceId\}\/|bundle-plugin\/)?/
const VERBS = { GET: 'get', POST: 'create', PUT: 'put', PATCH: 'update', DELETE: 'delete' } as const

/**
 * The name of an operation in clients: a verb and the nouns of the path, `getInstallation`, `listOperations`,
 * `retryOperation`, `planInstallationUpgrade`. Of a POST, the end of the path is the verb, unless it is a plural.
 */
export function operationName(name: EndpointName, row: EndpointRow): string {
  const { method, path } = splitName(name)
  const segments = path.replace(PREFIX, '').split('/')
  const nouns = segments.flatMap((segment, index) =>
    segment.startsWith('{')
      ? []
      : [segments[index + 1]?.startsWith('{') === true ? singular(segment) : segment],
  )
  const last = nouns.at(-1) ?? ''
  const isAction =
    method !== 'GET' && method !== 'PUT' && !segments.at(-1)?.startsWith('{') && !last.endsWith('s')
  if (method === 'POST' && isAction) return camel([last, ...planned(nouns.slice(0, -1), last)])
  if (method === 'POST') return camel([VERBS.POST, ...nouns.slice(0, -1), singular(last)])
  if (row.answers === 'events') return camel(['stream', ...nouns])
  const isList = method === 'GET' && 'shape' in row.answer && hasItems(row.answer.shape)
  return camel([isList ? 'list' : VERBS[method], ...nouns])
}

/** The plan of a POST that makes one thing of a collection is that of one thing. */
const planned = (nouns: readonly string[], verb: string): string[] =>
  verb === 'plan' ? nouns.map(singular) : [...nouns]

const hasItems = (shape: unknown): boolean => typeof shape === 'object' && shape !== null && 'items' in shape

const singular = (noun: string): string =>
  noun
    .replace(/ies$/, 'y')
    .replace(/(?<=ch)es$/, '')
    .replace(/s$/, '')

const camel = (words: readonly string[]): string =>
  words
    .flatMap((word) => word.split('-'))
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
