import { useWrite } from '../../../../api/write.ts'

/** Starts a recovery of an operation. */
export function useRecovery<Action extends 'retry' | 'takeover' | 'attempt-now' | 'stop-retrying'>(
  action: Action,
) {
  return useWrite(`POST /operations/{operationId}/${action}`, {
    invalidates: ['GET /operations/{operationId}', 'GET /operations', 'GET /summary', 'GET /installations'],
  })
}
