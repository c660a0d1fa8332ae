import { useQuery } from '@tanstack/react-query'
import { pausesOfOperationCall } from '#contract/console-api/pages/pauses.ts'
import type { Operation, Pause } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'

/** What is paused and holds an operation; empty while that is not known, or if nothing does. */
export function usePauses(operation: Pick<Operation, 'operationId' | 'nextStep'> | undefined): Pause[] {
  const isHeld = operation?.nextStep.action === 'RESUME'
  const { data } = useQuery({
    ...apiQuery('GET /pauses', pausesOfOperationCall(operation?.operationId ?? '')),
    enabled: isHeld,
  })
  return isHeld ? (data?.items ?? []) : []
}
