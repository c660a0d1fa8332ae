import { changeKey } from '../operations/operation-texts.ts'
import type { CauseDetail } from '#contract/console-api/shapes.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { Time } from '../../ui/Time.tsx'
import { solutionText } from './cause-texts.ts'

/** What is remembered of a cause: how often it was seen before, and what solved it. Nothing of one that is seen first. */
export function CauseMemory({ cause }: { cause: CauseDetail }) {
  const t = useText()
  const rich = useRichText()
  const { seenBefore, solvedBy, changeBefore, openedAt, state } = cause
  if (seenBefore === null && solvedBy === null) return null
  const isBefore = solvedBy !== null && solvedBy.at < openedAt
  const solved = isBefore
    ? 'operations.cause.solvedBefore'
    : state === 'SOLVED'
      ? 'operations.cause.solvedNow'
      : 'operations.cause.succeeded'
  return (
    <div className="flex gap-2">
      <Icon name="clock" size={14} className="mt-[3px] text-muted" />
      <div className="min-w-0 flex-1 space-y-0.5 wrap-anywhere">
        {seenBefore !== null && (
          <p>
            {rich('operations.cause.seenBefore', {
              n: seenBefore.failures,
              last: <Time at={seenBefore.lastAt} />,
            })}
          </p>
        )}
        {solvedBy !== null && (
          <p>
            {rich(solved, {
              time: <Time at={solvedBy.at} />,
              how: solutionText(solvedBy, t),
            })}
            {solvedBy.operationId !== null && (
              <>
                {' '}
                <TextLink to={paths.operation(solvedBy.operationId)}>
                  {t('operations.cause.solvedOperation')}
                </TextLink>
              </>
            )}
          </p>
        )}
        {changeBefore !== null && (
          <p className="text-muted">
            {rich('operations.cause.changeBefore', { time: <Time at={changeBefore.at} /> })}
            {t('common.punctuation.colon')}
            {changeBefore.by === null
              ? t('operations.context.hidden')
              : rich(changeKey(changeBefore.kind), {
                  person: changeBefore.by.name,
                  subject: changeBefore.subject,
                  time: '',
                })}
            {changeBefore.reason !== null &&
              ` ${t('operations.retried.reason', { reason: changeBefore.reason })}`}
          </p>
        )}
      </div>
    </div>
  )
}
