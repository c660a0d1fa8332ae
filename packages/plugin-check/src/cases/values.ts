import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '../../../../contract/json-schema/json.ts'
import { sideBySide } from '../run/side-by-side.ts'
import type { Trial } from '../run/trial.ts'
import { seenIn } from '../run/state.ts'
import { isDone } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'

const values = caseGroup('values', { rule: 'values', kind: 'behaviour', needs: ['state'] })

const LONG = ` ${'long '.repeat(400)}end`
const NUMBERS = [1_234_567, 2 ** 31 + 7_654_321] as const

/** New values for the properties that are not sensitive, where `change` returns one, for `replace` of a call. */
function replaced(
  { profile }: Trial,
  change: (value: JsonValue) => JsonValue | undefined,
): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(profile.resources).map(([locator, { properties, sensitive }]) => {
      const changed: JsonObject = {}
      for (const [name, value] of Object.entries(properties)) {
        const next = sensitive.includes(name) ? undefined : change(value)
        if (next !== undefined) changed[name] = next
      }
      return [locator, changed]
    }),
  )
}

/** Both stages of an INSTALL with these values. A plugin may refuse them: then nothing is known. */
async function stateWith(trial: Trial, replace: Record<string, JsonObject>): Promise<unknown> {
  const installation = trial.install()
  const operation = installation.operation('INSTALL', 1, { replace })
  for (const call of [operation.before, operation.after])
    if (!isDone((await trial.settle(call)).answer)) trial.untested('the plugin refuses such values')
  return trial.state(installation)
}

/** Where the state of one INSTALL shows the first of two values, that of another one shows the second. */
export async function keepsValues(
  trial: Trial,
  pairOf: (value: JsonValue) => readonly [JsonValue, JsonValue] | null,
): Promise<void> {
  const [first, second] = [0, 1].map((index) => replaced(trial, (value) => pairOf(value)?.[index]))
  if (first === undefined || second === undefined) return
  const [before, after] = [await stateWith(trial, first), await stateWith(trial, second)]
  const shown = Object.entries(first).flatMap(([locator, changed]) =>
    Object.entries(changed)
      .filter(([, value]) => seenIn(before, value) && !seenIn(after, value))
      .map(([name]) => [name, second[locator]?.[name]] as const),
  )
  if (shown.length === 0) trial.untested('the state shows none of the values')
  for (const [name, value] of shown)
    trial.check(seenIn(after, value), `The state shows another ${name} than was sent`)
}

/** Where a state shows a value: the names on the way there, with * for any item of a list. */
function placesOf(state: unknown, value: JsonValue, path = ''): string[] {
  if (isDeepStrictEqual(state, value)) return [path]
  if (Array.isArray(state)) return state.flatMap((item) => placesOf(item, value, `${path}/*`))
  return isJsonObject(state)
    ? Object.entries(state).flatMap(([name, item]) => placesOf(item, value, `${path}/${name}`))
    : []
}

/**
 * Each of these values, for each property whose usual value the state shows: where that was, the state shows the new one, unless
 * the plugin refuses it.
 */
async function keepsEach(
  trial: Trial,
  usualOf: (value: JsonValue) => JsonValue | undefined,
  variantsOf: (value: JsonValue) => readonly JsonValue[],
): Promise<void> {
  const usual = replaced(trial, usualOf)
  const installation = trial.install()
  const install = installation.operation('INSTALL', 1, { replace: usual })
  for (const call of [install.before, install.after])
    if (!isDone((await trial.settle(call)).answer)) trial.untested('the plugin refuses such values')
  const before = await trial.state(installation)
  let sequence = 1
  let compared = 0
  for (const [locator, properties] of Object.entries(usual))
    for (const [name, value] of Object.entries(properties)) {
      const places = textOf(value).length < TELLING_MIN ? [] : placesOf(before, value)
      for (const variant of places.length === 0 ? [] : variantsOf(value)) {
        const replace = { ...usual, [locator]: { ...properties, [name]: variant } }
        const configure = installation.operation('CONFIGURE', ++sequence, { replace })
        const isApplied =
          isDone((await trial.settle(configure.before)).answer) &&
          isDone((await trial.settle(configure.after)).answer)
        if (!isApplied) continue
        compared++
        const shown = new Set(placesOf(await trial.state(installation), variant))
        trial.check(
          places.some((place) => shown.has(place)),
          `The state does not show ${name} as it was sent: ${textOf(variant).slice(0, 80)}`,
        )
      }
    }
  if (compared === 0) trial.untested('the state shows none of the values, or the plugin refuses such values')
}

const textOf = (value: unknown): string => JSON.stringify(value)
/** A shorter text, with its quotes, can be in a state by chance. */
const TELLING_MIN = 5
const ofTexts = (value: JsonValue): JsonValue | undefined => (typeof value === 'string' ? value : undefined)

/** Texts that programs like to change. The last two are a letter in two code points, and one that has a twin. */
const UNUSUAL_TEXTS = [
  `&, <b>, &lt;, ", ', \\, %20, + and $1`,
  '\u{1F680} \u202E \u05D0 \u2028',
  'e\u0301 \u212B',
]

export const VALUE_CASES: readonly Case[] = [
  values(
    'wrapper-shaped',
    {
      title: 'A business value that looks like a wrapper is not unwrapped',
      fix: 'Unwrap Data exactly once, and wrap what you write exactly once, whatever the business value contains.',
    },
    async (trial) => {
      const usual = trial.install()
      await trial.complete(usual.operation('INSTALL', 1))
      const before = await trial.state(usual)
      const text = `inner-${trial.random.bytes(6).toString('hex')}`
      const isAlone = (shown: string): boolean => shown.includes(text) && !shown.includes('@type')
      const wrapperFor = (value: JsonValue): JsonObject | undefined =>
        // of such an object, a plugin may read that field
        isJsonObject(value) && Object.hasOwn(value, 'value') ? undefined : { '@type': 'Data', value: text }
      const all = Object.entries(replaced(trial, wrapperFor))
      const visible = replaced(trial, (value) => (seenIn(before, value) ? wrapperFor(value) : undefined))
      const each = all.flatMap(([locator, changed]) =>
        Object.entries(changed).map(([name, value]) => ({ [locator]: { [name]: value } })),
      )
      let isTold = false
      await sideBySide([visible, ...each], async (replace) => {
        const installation = trial.install()
        const operation = installation.operation('INSTALL', 1, { replace })
        for (const call of [operation.before, operation.after]) {
          const { answer } = await trial.settle(call)
          // a plugin that expects another type sees that it is none, and may refuse it
          if (answer.kind !== 'success' || !isDone(answer)) {
            isTold = true
            return
          }
          if (textOf(answer.writes).includes(text)) isTold = true
          for (const properties of Object.values(answer.writes))
            for (const [name, data] of Object.entries(isJsonObject(properties) ? properties : {}))
              trial.check(
                !isJsonObject(data) || !isAlone(textOf(data['value'] ?? null)),
                `${name} is written with the inner value alone: it was wrapped one time too few`,
              )
        }
        const state = textOf(await trial.state(installation))
        trial.check(!isAlone(state), 'The state shows the inner value alone: it was unwrapped twice')
        if (state.includes(text)) isTold = true
      })
      if (!isTold) trial.untested('neither state nor writes show such values')
    },
  ),
  values(
    'unusual-text',
    {
      title: 'White space, markup, emoji and composed letters in a text stay as they are',
      fix: 'Store texts as they are sent: do not trim, escape or normalize them. Escape where you show them.',
    },
    (trial) =>
      keepsEach(trial, ofTexts, (value) => [
        ` ${String(value)} `,
        `${String(value)}\t\n`,
        ...UNUSUAL_TEXTS.map((text) => `${String(value)} ${text}`),
      ]),
  ),
  values(
    'text-like-others',
    {
      title: 'A text that looks like null, a boolean or a number stays a text',
      fix: 'Do not guess the type of a value from its text.',
    },
    (trial) => keepsEach(trial, ofTexts, () => ['null', 'false', '0012', '1e3']),
  ),
  values(
    'zero-and-false',
    {
      title: 'Zero and false are values, not absent ones',
      fix: 'Ask whether a property is in the request, not whether its value is true.',
    },
    (trial) =>
      keepsEach(
        trial,
        (value) => (typeof value === 'number' ? NUMBERS[0] : value === true ? true : undefined),
        (value) => [value === true ? false : 0],
      ),
  ),
  values(
    'long-text',
    {
      title: 'A text of 2,000 characters is stored whole, or refused',
      fix: 'Let no column cut a text: refuse what is too long for you.',
    },
    (trial) => keepsValues(trial, (value) => (typeof value === 'string' ? [value, `${value}${LONG}`] : null)),
  ),
  values(
    'large-number',
    {
      title: 'A number above 2^31 is stored unchanged, or refused',
      fix: 'Store numbers in 64 bits, and refuse what is too large for you.',
    },
    (trial) => keepsValues(trial, (value) => (typeof value === 'number' ? NUMBERS : null)),
  ),
  values(
    'empty-text',
    {
      title: 'A CONFIGURE to an empty text does not keep the old one',
      fix: 'Distinguish an empty text from a property that is not set, and apply or refuse it.',
    },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 1))
      const before = await trial.state(installation)
      const isShown = (value: JsonValue): boolean => typeof value === 'string' && seenIn(before, value)
      const replace = replaced(trial, (value) => (isShown(value) ? '' : undefined))
      const operation = installation.operation('CONFIGURE', 2, { replace })
      for (const call of [operation.before, operation.after])
        if (!isDone((await trial.settle(call)).answer)) trial.untested('the plugin refuses such values')
      const after = await trial.state(installation)
      const names = Object.entries(replace).flatMap(([locator, changed]) =>
        Object.keys(changed).map(
          (name) => [name, trial.profile.resources[locator]?.properties[name]] as const,
        ),
      )
      if (names.length === 0) trial.untested('the state shows none of the values')
      for (const [name, old] of names)
        trial.check(!seenIn(after, old), `The state still shows the old ${name}`)
    },
  ),
]
