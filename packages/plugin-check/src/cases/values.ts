import type { JsonObject, JsonValue } from '../../../../contract/json-schema/json.ts'
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

export const VALUE_CASES: readonly Case[] = [
  values(
    'wrapper-shaped',
    {
      title: 'A business value that looks like a wrapper is not unwrapped',
      fix: 'Unwrap Data exactly once, whatever the business value contains.',
    },
    async (trial) => {
      const usual = trial.install()
      await trial.complete(usual.operation('INSTALL', 1))
      const before = await trial.state(usual)
      const text = `inner-${trial.random.bytes(6).toString('hex')}`
      const replace = replaced(trial, (value) =>
        seenIn(before, value) ? { '@type': 'Data', value: text } : undefined,
      )
      if (Object.values(replace).every((changes) => Object.keys(changes).length === 0))
        trial.untested('the state shows none of the values')
      const installation = trial.install()
      const operation = installation.operation('INSTALL', 1, { replace })
      // a plugin that expects another type sees that it is none, and may refuse it
      for (const call of [operation.before, operation.after])
        if (!isDone((await trial.settle(call)).answer)) return
      const state = JSON.stringify(await trial.state(installation))
      trial.check(
        !state.includes(text) || state.includes('@type'),
        'The state shows the inner value alone: it was unwrapped twice',
      )
    },
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
