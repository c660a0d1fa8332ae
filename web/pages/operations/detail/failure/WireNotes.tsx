import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Attempt, Failure } from '#contract/console-api/shapes.ts'
import { operationCall } from '#contract/console-api/pages/operations.ts'
import { paths } from '../../../../addresses/paths.ts'
import { apiQuery } from '../../../../api/query.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { operationTypeKey } from '../../../../subjects/operations/operation-texts.ts'
import { useAsOf } from '../../../../ui/as-of.ts'
import { TextLink } from '../../../../ui/Link.tsx'
import { Time } from '../../../../ui/Time.tsx'
import { clockText } from './failure-texts.ts'
import { answeredOperation } from './response-differences.ts'

/** What the wire tells about a failure: when the plugin accepts calls again, whose answer it was, and how its clock differs. */
export function WireNotes({ failure, attempt }: { failure: Failure; attempt: Attempt | undefined }) {
  const t = useText()
  const rich = useRichText()
  const answered = answeredOperation(attempt?.response)
  const clock = clockText(attempt?.wire?.clockBehindSeconds, t)
  return (
    <>
      {failure.retryFrom !== undefined && (
        <Note>{rich('operations.failed.retryFrom', { moment: <Time at={failure.retryFrom} exact /> })}</Note>
      )}
      {answered !== null && <AnswerTo operationId={answered} />}
      {clock !== null && <Note>{clock}</Note>}
    </>
  )
}

const Note = ({ children }: { children: ReactNode }) => <p className="max-w-[80ch] font-medium">{children}</p>

/** Nothing, if there is no such operation, or the person may not see it. */
function AnswerTo({ operationId }: { operationId: string }) {
  const t = useText()
  const rich = useRichText()
  const isStored = useAsOf() !== null
  const { data } = useQuery({
    ...apiQuery('GET /operations/{operationId}', operationCall(operationId)),
    enabled: !isStored,
    retry: false,
  })
  if (data === undefined) return null
  const name = `${t(operationTypeKey(data))} ${data.installation.bundle.bundleId} #${data.executionSequence}`
  return (
    <Note>
      {rich('operations.failed.answerTo', {
        operation: <TextLink to={paths.operation(operationId)}>{name}</TextLink>,
      })}
    </Note>
  )
}
