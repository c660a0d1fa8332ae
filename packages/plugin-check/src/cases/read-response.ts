import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { parseJson } from '../wire/read-answer.ts'

/** Both stages of an INSTALL that succeeded. */
export async function installed(trial: Trial): Promise<Sent[]> {
  const operation = trial.install().operation('INSTALL', 1)
  return [await trial.finish(operation.before), await trial.finish(operation.after)]
}

/** The top-level object of a response, or an empty one. */
export function topOf({ exchange }: Sent): JsonObject {
  const json = parseJson(exchange.response?.body ?? new Uint8Array())
  return isJsonObject(json) ? json : {}
}

/** A value of the plugin, for a report. */
export const short = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, 120)
