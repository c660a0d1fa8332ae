import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '../../../../contract/json-schema/json.ts'
import { sideBySide } from '../run/side-by-side.ts'
import { CaseBlocked, type Sent, type Trial } from '../run/trial.ts'
import { seenIn } from '../run/state.ts'
import { parseJson } from '../wire/read-answer.ts'
import type { Case } from './case.ts'

const OPERATION_TYPES = ['INSTALL', 'CONFIGURE', 'UPGRADE', 'DETACH'] as const

/**
 * Both stages of INSTALL, CONFIGURE, UPGRADE and DETACH of one installation, as far as they succeed: sent once in a run.
 * Blocks the case if INSTALL does not succeed.
 */
export const wholeLife = (trial: Trial): Promise<readonly Sent[]> =>
  once(trial, 'life', async () => {
    const installation = trial.install()
    const found: Sent[] = []
    for (const [index, type] of OPERATION_TYPES.entries()) {
      const values = type === 'INSTALL' || type === 'DETACH' ? 'properties' : 'changed'
      const { before, after } = installation.operation(type, index + 1, { values })
      try {
        for (const call of [before, after]) found.push(await trial.finish(call))
      } catch (error) {
        // the cases lifecycle.*-succeeds are about that
        if (!(error instanceof CaseBlocked) || found.length < 2) throw error
        break
      }
    }
    return found
  })

const ODD_MS = 200
const LONG_TEXT = 'x'.repeat(10_000)

/** Values of the same type that a plugin may have reason to refuse. */
function oddValues(value: JsonValue): JsonValue[] {
  if (typeof value === 'string') return ['', LONG_TEXT]
  return typeof value === 'number' ? [-1, 0.5, 1_000_000_007] : []
}

/** An INSTALL with each odd value of each property, so that more failures of the plugin are seen. */
async function sendOddValues(trial: Trial): Promise<Sent[]> {
  const changes = Object.entries(trial.profile.resources).flatMap(([locator, { properties }]) =>
    Object.entries(properties).flatMap(([name, value]) =>
      oddValues(value).map((odd) => ({ [locator]: { [name]: odd } })),
    ),
  )
  return sideBySide(changes, (replace) =>
    trial.settle(trial.install().operation('INSTALL', 1, { replace }).before, { withinMs: ODD_MS }),
  )
}

/**
 * A request for another plugin, a body that is not JSON, other bytes of a call that has succeeded, a late call, invalid
 * values and odd ones: sent once in a run.
 */
export const wrongCalls = (trial: Trial): Promise<readonly Sent[]> =>
  once(trial, 'wrong', async () => {
    const installation = trial.install()
    const { before, variant } = installation.operation('INSTALL', 2)
    const other = variant('BEFORE_RESOURCES', { targetVersion: '1.0.9' })
    await trial.finish(before)
    const foreign = Buffer.from(JSON.stringify({ ...before.request, pluginId: 'another-plugin' }))
    return [
      await trial.settleBytes(foreign, before),
      await trial.settleBytes(Buffer.from('not JSON'), before),
      await trial.settleBytes(other.bytes, other),
      await trial.settle(installation.operation('CONFIGURE', 1).before),
      await trial.settle(trial.install().operation('INSTALL', 1, { values: 'invalid' }).before),
      ...(await sendOddValues(trial)),
    ]
  })

/** Makes what several cases of a run are judged on, and returns the same to each. */
export async function once<Made>({ shared }: Trial, name: string, make: () => Promise<Made>): Promise<Made> {
  // each name has one maker
  if (shared.has(name)) return shared.get(name) as Made
  const made = await make()
  shared.set(name, made)
  return made
}

/** A case about the form of every success of the run. */
export const ofEverySuccess = (judge: NonNullable<Case['judge']>): Pick<Case, 'run' | 'judge'> => ({
  run: async (trial) => void (await wholeLife(trial)),
  judge: (trial, sent) => {
    if (sent.answer.kind === 'success') judge(trial, sent)
  },
})

/** A case about the form of every success and every failure of the run. */
export const ofEveryEnvelope = (judge: NonNullable<Case['judge']>): Pick<Case, 'run' | 'judge'> => ({
  async run(trial) {
    await wholeLife(trial)
    await wrongCalls(trial)
  },
  judge: (trial, sent) => {
    if (sent.answer.kind === 'success' || sent.answer.kind === 'failure') judge(trial, sent)
  },
})

/** The values that `changed` replaces in the profile are in the state: of those values that the state shows. */
export function checkApplied(trial: Trial, before: unknown, after: unknown, what: string): void {
  const visible = Object.values(trial.profile.resources)
    .flatMap(({ properties, changed = {} }) =>
      Object.entries(changed).map(([name, value]) => ({ name, old: properties[name], value })),
    )
    .filter(
      ({ old, value }) => seenIn(before, old) && !seenIn(before, value) && !isDeepStrictEqual(old, value),
    )
  if (visible.length === 0)
    trial.untested('the state shows none of the values that changed replaces in the profile')
  for (const { name, value } of visible)
    trial.check(seenIn(after, value), `${what} succeeded, but the state does not show the changed ${name}`)
}

const tops = new WeakMap<Sent, JsonObject>()

/** The top-level object of a response, or an empty one. */
export function topOf(sent: Sent): JsonObject {
  const known = tops.get(sent)
  if (known !== undefined) return known
  const json = parseJson(sent.exchange.response?.body ?? new Uint8Array())
  const top = isJsonObject(json) ? json : {}
  tops.set(sent, top)
  return top
}

/** A value of the plugin, for a report. */
export const short = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 120)
