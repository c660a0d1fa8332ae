import { useQuery } from '@tanstack/react-query'
import { pausesOfOperationCall } from '#contract/console-api/pages/pauses.ts'
import type { Operation, Pause } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { joinList } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { scopeText } from '../scopes/scope-text.ts'

/** What is paused and holds an operation; empty while that is not known, or if nothing does. */
export function usePauses(operation: Pick<Operation, 'operationId' | 'nextStep'> | undefined): Pause[] {
  const isHeld = operation?.nextStep.action === 'RESUME'
  const { data } = useQuery({
    ...apiQuery('GET /pauses', pausesOfOperationCall(operation?.operationId ?? '')),
    enabled: isHeld,
  })
  return isHeld ? (data?.items ?? []) : []
}

/** What is paused, as a title or a question names it. */
export function nameOfPaused(of: Pause['of'], t: Translate): string {
  if (of.kind === 'OPERATION')
    return t('operations.name', { type: t(`vocabulary.type.${of.operationType}`), bundle: of.title })
  return of.kind === 'SCOPE' ? scopeText(of.scope) : of.title
}

/** What somebody has to resume, and where, as part of a sentence about the operation that it holds. */
export const pausedText = (pauses: readonly Pause[], t: Translate): string =>
  pauses.length === 0
    ? t('pauses.what')
    : joinList(
        t,
        pauses.map(({ of }) => t(`pauses.what.${of.kind}`, { name: nameOfPaused(of, t) })),
      )
