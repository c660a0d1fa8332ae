import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Attempt, Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import { operationCall } from '#contract/console-api/pages/operations.ts'
import { paths } from '../../../../addresses/paths.ts'
import { apiQuery } from '../../../../api/query.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { operationTypeKey } from '../../../../subjects/operations/operation-texts.ts'
import { useAsOf } from '../../../../ui/as-of.ts'
import { TextLink } from '../../../../ui/Link.tsx'
import { Time } from '../../../../ui/Time.tsx'
import type { movedBetween } from './endpoint-change.ts'
import { clockText } from './failure-texts.ts'
import { misplacedAnswer } from './response-differences.ts'

/**
 * What the wire tells about a failure: when the plugin accepts calls again, whose response it was, how its clock differs, and
 * that it answered at another endpoint than before.
 */
export function WireNotes({
  failure,
  attempt,
  answered,
  moved,
}: {
  failure: Failure
  attempt: Attempt | undefined
  /** What the response belongs to instead: see {@link useOperationOf}. */
  answered: OperationDetail | null | undefined
  /** The move of the plugin while the operation ran. */
  moved: ReturnType<typeof movedBetween>
}) {
  const t = useText()
  const rich = useRichText()
  const clock = clockText(attempt?.wire?.clockBehindSeconds, t)
  return (
    <>
      {moved !== null && (
        <Note>
          {rich('operations.failed.endpoint.moved', {
            time: <Time at={moved.at} />,
            before: <span className="mono wrap-anywhere">{moved.before}</span>,
            after: <span className="mono wrap-anywhere">{moved.after}</span>,
          })}
        </Note>
      )}
      {failure.retryFrom !== undefined && (
        <Note>{rich('operations.failed.retryFrom', { moment: <Time at={failure.retryFrom} exact /> })}</Note>
      )}
      {answered != null && <AnswerTo operation={answered} />}
      {misplacedAnswer(attempt?.response) === 'otherStage' && (
        <Note>{t('operations.failed.answerToStage', { stage: t('vocabulary.phase.BEFORE_RESOURCES') })}</Note>
      )}
      {clock !== null && <Note>{clock}</Note>}
    </>
  )
}

const Note = ({ children }: { children: ReactNode }) => <p className="max-w-[80ch] font-medium">{children}</p>

/**
 * The operation with an ID that a plugin sent: of the response that belongs to it instead, or in a message. Null if there is none that the
 * person may see, undefined while that is not known.
 */
export function useOperationOf(operationId: string | null): OperationDetail | null | undefined {
  const isStored = useAsOf() !== null
  const { data, isLoading } = useQuery({
    ...apiQuery('GET /operations/{operationId}', operationCall(operationId ?? '')),
    enabled: operationId !== null && !isStored,
    retry: false,
  })
  if (operationId === null) return null
  return data ?? (isLoading ? undefined : null)
}

function AnswerTo({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const rich = useRichText()
  const name = `${t(operationTypeKey(operation))} ${operation.installation.bundle.bundleId} #${operation.executionSequence}`
  return (
    <Note>
      {rich('operations.failed.answerTo', {
        operation: <TextLink to={paths.operation(operation.operationId)}>{name}</TextLink>,
      })}
    </Note>
  )
}
