import type { Place } from '#contract/endpoint/permission.ts'

/** Who attacks: somebody who is not signed in, people with one role each in one environment, and the administrator of all. */
export const PEOPLE = ['nobody', 'viewer', 'operator', 'support', 'admin'] as const
export type Person = (typeof PEOPLE)[number]

/** One attack. It holds if `run` resolves to null; otherwise to what was seen, in one line. */
export interface Attack {
  name: string
  run(): Promise<string | null>
}

/** A request as an attacker writes it; `as` adds the session of a person and the headers of the console's own pages. */
export interface Request {
  method: string
  path: string
  as?: Person
  headers?: Readonly<Record<string, string>>
  body?: string
}

export interface Answer {
  status: number
  headers: Headers
  text: string
}

/** The complete system under attack. */
export interface Target {
  console: string
  runtime: string
  /** A service credential that the runtime accepts. */
  credential: string
  /** Where the console keeps its key. */
  dataDir: string
  own: Required<Place>
  foreign: Required<Place>
  /** A text that only people who see the foreign scope may read. */
  foreignTexts: readonly string[]
  /** Ids of objects in the foreign scope, by the name of their path parameter. */
  foreignIds: Readonly<Record<string, string>>
  cookieOf(person: Person): string
  send(request: Request): Promise<Answer>
}

/** What a refusal must not contain, for any caller: a stack, a path of the machine, SQL. */
const INTERNAL = /\bat \S+ \(|file:\/\/|node_modules|\/work\/|\/tmp\/|\bselect\b.+\bfrom\b|syntax error at/i

/** What is wrong with a response that must refuse; null if nothing. */
export function notRefused({ status, text }: Answer, statuses: readonly number[]): string | null {
  if (INTERNAL.test(text)) return `the answer shows something internal: ${text.slice(0, 120)}`
  return statuses.includes(status) ? null : `status ${status} instead of ${statuses.join(' or ')}`
}
