import * as z from 'zod'
import { Key, OperationId } from './keys.ts'
import * as vocabulary from './vocabulary.ts'

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  z.enum(names, `Must be one of ${names.join(', ')}`)

export const OperationType = oneOf(vocabulary.OPERATION_TYPES)
export type OperationType = z.infer<typeof OperationType>

export const Stage = oneOf(vocabulary.STAGES)
export type Stage = z.infer<typeof Stage>

export const Outcome = oneOf(vocabulary.OUTCOMES)
export type Outcome = z.infer<typeof Outcome>

export const ResourceAction = oneOf(vocabulary.RESOURCE_ACTIONS)
export type ResourceAction = z.infer<typeof ResourceAction>

/** One operation: `currentVersion` is null in an INSTALL and equals `targetVersion` in a CONFIGURE. */
export const OperationIdentity = z
  .strictObject({
    operationId: OperationId,
    operationType: OperationType,
    currentVersion: Key.nullable(),
    targetVersion: Key,
  })
  .refine((operation) => operation.operationType !== 'INSTALL' || operation.currentVersion === null, {
    path: ['currentVersion'],
    message: 'Must be null in an INSTALL',
  })
  .refine(
    (operation) =>
      operation.operationType !== 'CONFIGURE' || operation.currentVersion === operation.targetVersion,
    { path: ['currentVersion'], message: 'Must equal targetVersion in a CONFIGURE' },
  )
export type OperationIdentity = z.infer<typeof OperationIdentity>
