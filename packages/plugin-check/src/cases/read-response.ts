import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import { CaseBlocked, type Sent, type Trial } from '../run/trial.ts'
import { seenIn } from '../run/state.ts'
import { parseJson } from '../wire/read-answer.ts'

const OPERATION_TYPES = ['INSTALL', 'CONFIGURE', 'UPGRADE', 'DETACH'] as const

/** Both stages of an INSTALL that succeeded. */
export async function installed(trial: Trial): Promise<Sent[]> {
  const operation = trial.install().operation('INSTALL', 1)
  return [await trial.finish(operation.before), await trial.finish(operation.after)]
}

/**
 * Both stages of INSTALL, CONFIGURE, UPGRADE and DETACH of one installation, as far as they succeed: sent once in a run.
 * Blocks the case if INSTALL does not succeed.
 */
export async function wholeLife(trial: Trial): Promise<readonly Sent[]> {
  if (trial.life.sent !== null) {
    trial.evidence.push(...trial.life.sent)
    return trial.life.sent
  }
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
  trial.life.sent = found
  return found
}

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

/** The top-level object of a response, or an empty one. */
export function topOf({ exchange }: Sent): JsonObject {
  const json = parseJson(exchange.response?.body ?? new Uint8Array())
  return isJsonObject(json) ? json : {}
}

/** A value of the plugin, for a report. */
export const short = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 120)
