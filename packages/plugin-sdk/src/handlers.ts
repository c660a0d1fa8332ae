import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import {
  OPERATION_TYPES,
  STAGES,
  type OperationType,
  type Stage,
} from '../../../contract/protocol/vocabulary.ts'
import type { CallResource } from './call.ts'
import type { Handler } from './run-call.ts'

/** A stage without a handler results in NOT_APPLIED. */
export type StageHandlers<Tx, Name extends string = string, Resource = CallResource, Values = unknown> = {
  readonly [stage in Stage]?: Handler<Tx, Name, Resource, Values>
}

/** One handler for each stage, or one for each operation type and stage; not both. */
export type Handlers<Tx, Name extends string = string, Resource = CallResource, Values = unknown> =
  | (StageHandlers<Tx, Name, Resource, Values> & { readonly [type in OperationType]?: never })
  | ({ readonly [type in OperationType]?: StageHandlers<Tx, Name, Resource, Values> } & {
      readonly [stage in Stage]?: never
    })

/** The handler of a call; undefined if there is none. */
export function handlerOf<Tx>(
  handle: Handlers<Tx>,
  { operation, stage }: LifecycleRequest,
): Handler<Tx> | undefined {
  return handle[stage] ?? handle[operation.operationType]?.[stage]
}

/**
 * Throws if JavaScript gave handlers that would never be called. A stage without a handler is a success, so nobody would
 * notice that they are missing.
 */
export function requireHandlers(handle: unknown): void {
  const names = namesIn(handle, 'handle')
  if (names.some(isStage)) {
    if (names.some(isOperationType))
      throw new TypeError(
        `handle has ${names.join(' and ')}: set a handler for each stage, or for each operation type and stage, not both`,
      )
    return requireStages(handle, 'handle')
  }
  for (const name of names) {
    if (!isOperationType(name)) throw notKnown(`handle.${name}`, [...OPERATION_TYPES, ...STAGES])
    requireStages(memberOf(handle, name), `handle.${name}`)
  }
}

function requireStages(handlers: unknown, path: string): void {
  for (const name of namesIn(handlers, path)) {
    if (!isStage(name)) throw notKnown(`${path}.${name}`, STAGES)
    if (typeof memberOf(handlers, name) !== 'function')
      throw new TypeError(`${path}.${name} must be a function`)
  }
}

/** The names of the members that are set; JavaScript may set none as null. */
function namesIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(`${path} must be an object with handlers`)
  return Object.entries(value).flatMap(([name, member]) =>
    member === undefined || member === null ? [] : [name],
  )
}

const memberOf = (value: unknown, name: string): unknown => Object(value)[name]
const isStage = (name: string): boolean => STAGES.some((stage) => stage === name)
const isOperationType = (name: string): boolean => OPERATION_TYPES.some((type) => type === name)

const notKnown = (path: string, known: readonly string[]): TypeError =>
  new TypeError(`${path} would never be called: use one of ${known.join(', ')}`)
