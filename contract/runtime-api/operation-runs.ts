import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { operationParams, Override, Reason } from './common.ts'
import { Operation } from './operations.ts'
import { OperationPlan, PlanToken } from './plans.ts'

/** The run that the person saw. */
const inRun = {
  body: z.strictObject({
    run: z.number().int().positive(),
    reason: Reason.optional(),
    override: Override,
  }),
  answer: z.object({ operation: Operation }),
} as const

/** What a person does about the run of an operation that has failed or waits. */
export const operationRunEndpoints = defineEndpoints({
  'POST /operations/{operationId}/retry': {
    summary:
      'Retry a FAILED operation: same id, stage, sequence and bytes, from the call that did not succeed',
    audit: 'operation.retry',
    access: { needs: 'operation:retry', where: 'object' },
    params: operationParams,
    ...inRun,
    codes: [
      'NOT_FOUND',
      'OPERATION_NOT_RETRYABLE',
      'PLUGIN_RETIRED',
      'VERSION_RECALLED',
      'CHANGES_FROZEN',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'overrides',
  },
  'POST /operations/{operationId}/attempt-now': {
    summary: 'Make the next attempt of a WAITING operation immediately',
    audit: 'operation.attempt-now',
    access: { needs: 'operation:retry', where: 'object' },
    params: operationParams,
    ...inRun,
    codes: [
      'NOT_FOUND',
      'OPERATION_NOT_RETRYABLE',
      'CHANGES_FROZEN',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'overrides',
  },
  'POST /operations/{operationId}/stop-retrying': {
    summary: 'Stop the automatic retries of a WAITING operation: it becomes FAILED and keeps its claim',
    audit: 'operation.stop-retrying',
    access: { needs: 'operation:retry', where: 'object' },
    params: operationParams,
    body: z.strictObject({ run: z.number().int().positive(), reason: Reason, override: Override }),
    answer: z.object({ operation: Operation }),
    codes: [
      'NOT_FOUND',
      'OPERATION_NOT_RETRYABLE',
      'CHANGES_FROZEN',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'overrides',
  },
  'POST /operations/{operationId}/takeover': {
    summary: 'Take over a FAILED operation with a DETACH of its installation',
    audit: 'operation.takeover',
    access: { needs: 'operation:takeover', where: 'object' },
    params: operationParams,
    body: z.strictObject({
      run: z.number().int().positive(),
      reason: Reason,
      planToken: PlanToken.optional(),
      override: Override,
    }),
    answer: z.object({ operation: Operation }),
    codes: [
      'NOT_FOUND',
      'PLAN_STALE',
      'TAKEOVER_NOT_ALLOWED',
      'INSTALLATION_PROTECTED',
      'CHANGES_FROZEN',
      'APPROVAL_REQUIRED',
      'NUMBERS_USED_UP',
      'IDEMPOTENCY_KEY_REUSED',
      'RECENT_SIGN_IN_REQUIRED',
    ],
    recentSignIn: 'always',
  },
  'POST /operations/{operationId}/takeover/plan': {
    cost: 3,
    summary: 'Preview a takeover; writes nothing',
    access: { needs: 'operation:takeover', where: 'object' },
    params: operationParams,
    body: z.strictObject({ run: z.number().int().positive() }),
    answer: OperationPlan,
    codes: ['NOT_FOUND'],
    writesNothing: true,
  },
})
