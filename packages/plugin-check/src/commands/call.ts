import type { JsonValue } from '../../../../contract/json-schema/json.ts'
import { isJsonObject } from '../../../../contract/json-schema/json.ts'
import {
  OPERATION_TYPES,
  STAGES,
  type OperationType,
  type Stage,
} from '../../../../contract/protocol/vocabulary.ts'
import { readJsonFile, UsageError, type Profile } from '../profile.ts'
import { problemOf } from '../receipt/replay-receipt.ts'
import { printable, printableLines } from '../../../../contract/protocol/foreign-text.ts'
import { CaseBlocked, createTrial, type Bench, type Sent } from '../run/trial.ts'
import { endpointProblem } from '../run/usable.ts'
import type { CallOptions } from '../wire/build-call.ts'
import { seededRandom } from '../wire/random.ts'
import { describeAnswer, isDone, parseJson } from '../wire/read-answer.ts'

/** One call that a person wants to see. */
export interface SingleCall {
  operation: OperationType
  stage: Stage
  values: Partial<Pick<CallOptions, 'values' | 'replace'>>
  /** Null: a new one, in which everything before the call is done first. */
  install: string | null
  /** Null: a new one. */
  operationId: string | null
  sequence: number
}

const VALUES = ['properties', 'changed', 'invalid'] as const

/**
 * Reads what was typed. Throws a UsageError.
 *
 * @param values `properties`, `changed` or `invalid` of the profile, or a file with values by locator and name.
 */
export function readSingleCall(typed: {
  operation?: string
  stage?: string
  values?: string
  install?: string
  'operation-id'?: string
  sequence: number | undefined
}): SingleCall {
  const operation = OPERATION_TYPES.find((type) => type === typed.operation)
  if (operation === undefined)
    throw new UsageError(`--operation must be one of ${OPERATION_TYPES.join(', ')}.`)
  const stage = STAGES.find((name) => name === (typed.stage ?? 'BEFORE_RESOURCES'))
  if (stage === undefined) throw new UsageError(`--stage must be one of ${STAGES.join(', ')}.`)
  const install = typed.install ?? null
  if (install !== null && typed.sequence === undefined)
    throw new UsageError('--install needs --sequence, a number above that of its last operation.')
  return {
    operation,
    stage,
    values: valuesOf(typed.values ?? (operation === 'CONFIGURE' ? 'changed' : 'properties')),
    install,
    operationId: typed['operation-id'] ?? null,
    sequence: typed.sequence ?? (operation === 'INSTALL' ? 1 : 2),
  }
}

function valuesOf(name: string): SingleCall['values'] {
  const known = VALUES.find((one) => one === name)
  if (known !== undefined) return { values: known }
  const json = readJsonFile(name, {
    subject: 'The values',
    ifMissing: `Name a file with values by locator and property, or one of ${VALUES.join(', ')}.`,
    ifWrong: 'Correct it there.',
  })
  if (!isJsonObject(json) || !Object.values(json).every(isJsonObject))
    throw new UsageError(
      `The values ${name} must be an object by locator, with an object by property in each.`,
    )
  return { replace: json as Record<string, Record<string, JsonValue>> }
}

/**
 * Sends one call, judges the response, and prints both.
 *
 * @returns the exit code: 0 if the call is done and the response is valid, 1 otherwise.
 * @throws UsageError if the plugin cannot be called, or if what comes before the call does not succeed.
 */
export async function sendSingleCall(
  bench: Bench,
  { operation, stage, values, install, operationId, sequence }: SingleCall,
  print: (line: string) => void,
): Promise<number> {
  const trial = createTrial(bench, seededRandom(`${bench.idTime} call`))
  const installation = trial.install(install === null ? {} : { bundleInstallId: install })
  const made = installation.operation(operation, sequence, {
    ...values,
    ...(operationId !== null && { operationId }),
  })
  try {
    if (install === null && operation !== 'INSTALL')
      await trial.complete(installation.operation('INSTALL', sequence - 1))
    if (install === null && stage === 'AFTER_RESOURCES') await trial.finish(made.before)
  } catch (error) {
    if (!(error instanceof CaseBlocked)) throw error
    throw new UsageError(`What comes before the call does not succeed: ${printable(error.message)}`)
  }
  const call = stage === 'BEFORE_RESOURCES' ? made.before : made.after
  const sent = await trial.send(call)
  const unusable = endpointProblem(bench, sent.exchange)
  if (unusable !== null) throw new UsageError(unusable)
  const problem = problemOf(sent, call.request, permittedBy(bench.profile))
  const { operationId: id } = call.request.operation
  print(`${operation} ${stage}: ${describe(sent, problem)}`)
  print(responseOf(sent))
  print(
    `Send it again with --install ${installation.identity.bundleInstallId} --operation-id ${id} --sequence ${sequence}, or the next operation with a higher --sequence.`,
  )
  return isDone(sent.answer) && problem === null ? 0 : 1
}

function describe({ answer, exchange }: Sent, problem: string | null): string {
  const ms = `${Math.round(exchange.ms)} ms`
  const message = answer.kind === 'failure' && answer.message !== '' ? `: ${answer.message}` : ''
  const verdict = problem === null ? '' : `; ${problem}`
  return printable(`${describeAnswer(answer)}${message}${verdict} (${ms})`)
}

function responseOf({ exchange: { response } }: Sent): string {
  if (response === null) return ''
  const json = parseJson(response.body)
  const text = json === undefined ? response.body.toString() : JSON.stringify(json, null, 2)
  return printableLines(text)
}

const permittedBy = ({ resources }: Profile): Record<string, string[]> =>
  Object.fromEntries(Object.entries(resources).map(([locator, { writes }]) => [locator, Object.keys(writes)]))
