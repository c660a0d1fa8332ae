import type { ReactNode } from 'react'
import type { Cause, Claim, Installation, Operation } from '#contract/console-api/shapes.ts'
import { shownCode } from '#contract/protocol/messages.ts'
import { operationName, bundleNameOf, nextRetryOf } from '../../subjects/operations/operation-texts.ts'
import { NextStepText } from '../../subjects/operations/NextStepText.tsx'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { affectedText, causeTitle } from '../../subjects/causes/cause-texts.ts'
import { CauseStateBadge } from '../../subjects/causes/CauseStateBadge.tsx'
import { failureTitle } from '../../subjects/operations/describe-failure.ts'
import { RetriesIn } from '../../subjects/operations/OperationTimes.tsx'
import { cx } from '../../ui/class-names.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Beats } from '../../ui/Beats.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { PlainLink, type LinkTarget } from '../../ui/Link.tsx'
import { operationLook, type OperationState } from '../../ui/states.ts'
import { Time } from '../../ui/Time.tsx'
import { toneText, type Tone } from '../../ui/tone.ts'

export function FailedItem({
  operation,
  cause,
  isNew,
}: {
  operation: Operation
  /** Of which it is the only failed operation. */
  cause: Cause
  /** Whether the person has not seen the cause yet. */
  isNew: boolean
}) {
  const t = useText()
  const { failure, finishedAt, createdAt } = operation
  return (
    <Item
      state={operation.state}
      title={operationName(operation, t)}
      to={paths.operation(operation.operationId)}
      scope={operation.installation}
      since={finishedAt ?? createdAt}
      person={operation.requestedBy.name}
    >
      {failure && (
        <>
          {failureTitle(failure, t)} <span className="mono text-xs text-muted">{shownCode(failure)}</span>
        </>
      )}
      <CauseStanding cause={cause} isNew={isNew} />
    </Item>
  )
}

/** Several operations that failed with the same cause. */
export function CauseItem({ cause, isNew }: { cause: Cause; isNew: boolean }) {
  const t = useText()
  const { causeId, lastAt, errorCode, pluginId } = cause
  return (
    <ItemLayout
      look={operationLook.FAILED}
      word={t(operationLook.FAILED.word)}
      title={affectedText(cause, t)}
      to={paths.cause(causeId)}
      place={pluginId !== null && <span className="mono text-muted">{pluginId}</span>}
      when={<LastAt at={lastAt} />}
    >
      <Problem>
        {causeTitle(cause, t)} <span className="mono text-xs text-muted">{errorCode}</span>
        <CauseStanding cause={cause} isNew={isNew} />
      </Problem>
    </ItemLayout>
  )
}

/** Who works on it, or else who acts next. */
function CauseStanding({ cause, isNew }: { cause: Cause; isNew: boolean }) {
  const t = useText()
  return (
    <>
      <span className="text-muted"> · </span>
      {cause.state === 'NEW' ? (
        cause.latest && <NextStepText nextStep={cause.latest.nextStep} />
      ) : (
        <CauseStateBadge cause={cause} />
      )}
      {isNew && (
        <Badge tone="live" className="ml-2">
          {t('operations.cause.newSince')}
        </Badge>
      )}
    </>
  )
}

function LastAt({ at }: { at: string }) {
  return useRichText()('operations.causes.last', { when: <Time at={at} inRow /> })
}

export function WaitingItem({ operation }: { operation: Operation }) {
  const t = useText()
  const retryAt = nextRetryOf(operation)
  return (
    <Item
      state={operation.state}
      title={operationName(operation, t)}
      to={paths.operation(operation.operationId)}
      scope={operation.installation}
      since={operation.createdAt}
      person={operation.requestedBy.name}
    >
      <Beats
        phase={operation.phase}
        tone={operationLook[operation.state].tone}
        className="mr-2 align-middle"
      />
      <span className="text-muted">{t(`vocabulary.phase.${operation.phase}`)}</span>
      {retryAt !== null && (
        <>
          <span className="text-muted"> · </span>
          <span className="font-medium text-doubt">
            <RetriesIn at={retryAt} />
          </span>
        </>
      )}
    </Item>
  )
}

export function LockedItem({ row, claim }: { row: Installation; claim: Claim }) {
  const t = useText()
  return (
    <Item
      state={claim.state}
      title={t('operations.name', {
        type: t(`vocabulary.type.${claim.operationType}`),
        bundle: bundleNameOf(row),
      })}
      to={paths.operation(claim.operationId)}
      scope={row.installation}
      since={claim.since}
      person={claim.requestedBy.name}
    >
      <span className="text-muted">{t(operationLook[claim.state].meaning)}</span>
    </Item>
  )
}

/** One operation: what and where, who requested it, then the problem. */
function Item({
  state,
  title,
  to,
  scope,
  since,
  person,
  children,
}: {
  state: OperationState
  title: string
  to: LinkTarget
  scope: { environmentKey: string; applicationRuntimeId: string; workspaceId: number }
  since: string
  person: string
  children: ReactNode
}) {
  const t = useText()
  const rich = useRichText()
  return (
    <ItemLayout
      look={operationLook[state]}
      word={t(operationLook[state].word)}
      title={title}
      to={to}
      place={<ScopeLink scope={scope} />}
      when={rich('overview.attention.since', { time: <Time at={since} inRow />, person })}
    >
      <Problem>{children}</Problem>
    </ItemLayout>
  )
}

/** Not cut: who acts next is at its end. */
const Problem = ({ children }: { children: ReactNode }) => <p className="mt-0.5 wrap-anywhere">{children}</p>

/** Two lines: what and where, then more about it. */
export function ItemLayout({
  look: { icon, tone },
  word,
  isWordShown = false,
  title,
  to,
  place,
  when,
  tell,
  children,
}: {
  look: { icon: IconName; tone: Tone }
  /** Of its state. */
  word: string
  /** Where the list has several states; default: the word is for screen readers. */
  isWordShown?: boolean
  title: string
  to: LinkTarget
  place?: ReactNode
  when: ReactNode
  /** A button at the end. */
  tell?: ReactNode
  children?: ReactNode
}) {
  return (
    <li className="relative flex items-start gap-3 px-4 py-2.5 hover:bg-hover">
      <span className={cx('mt-[5px]', toneText[tone])}>
        <Icon name={icon} size={14} />
        {!isWordShown && <span className="sr-only">{word}</span>}
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            {/* the whole item is a link; its other links are above it */}
            <PlainLink
              to={to}
              className="inline-flex min-h-6 items-center rounded-sm font-semibold wrap-anywhere after:absolute after:inset-0"
            >
              {title}
            </PlainLink>
            {place !== undefined && (
              <span className="relative inline-flex min-h-6 items-center text-xs">{place}</span>
            )}
          </p>
          <p className="relative text-xs text-faint tabular-nums">
            {isWordShown && (
              <>
                <span className={toneText[tone]}>{word}</span>
                {'\u00a0· '}
              </>
            )}
            {when}
          </p>
        </div>
        {children}
      </div>
      {tell !== undefined && tell !== false && <span className="relative -my-0.5">{tell}</span>}
    </li>
  )
}
