import { useQuery } from '@tanstack/react-query'
import type { Claim } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { useShell } from '../../../subjects/shell/shell-context.ts'
import { paths } from '../../../addresses/paths.ts'
import { cx } from '../../../ui/class-names.ts'
import { OperationBadge } from '../../../ui/StateBadge.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { TextLink } from '../../../ui/Link.tsx'
import { Countdown, Time } from '../../../ui/Time.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { messageText } from '../../../i18n/message-text.ts'

/**
 * Why the form is locked: which operation holds the claim, since when, what it waits for, and the available actions.
 */
export function ClaimCard({ claim }: { claim: Claim }) {
  const t = useText()
  const rich = useRichText()
  // the list row only: the operation's own page has all details, including every attempt
  const { operationId } = claim
  const rows = useQuery(apiQuery('GET /operations', { query: { q: operationId, limit: 1 } })).data
  const operation = rows?.items.find((row) => row.operationId === operationId)
  const phase = operation?.phase
  const next = claim.state === 'WAITING' ? operation?.nextAttemptAt : null
  return (
    <section
      aria-label={t('configuration.claim.title')}
      className={cx(
        'mb-5 rounded-lg border border-line-strong bg-sunken',
        // sticky, so that it always explains why a field accepts no input
        claim.state !== 'FAILED' && 'z-5 lg:sticky lg:top-3',
      )}
    >
      <div className="flex gap-3 px-4 py-3">
        <Icon name="lock" className="mt-0.5 text-muted" />
        <div className="min-w-0 flex-1">
          <p className="font-semibold">{t('configuration.claim.title')}</p>
          <p className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1">
            <OperationBadge state={claim.state} look="pill" />
            <span className="min-w-0">
              {rich('configuration.claim.whose', {
                type: (
                  <TextLink to={paths.operation(claim.operationId)}>
                    {t(`vocabulary.type.${claim.operationType}`)}
                  </TextLink>
                ),
                person: <span className="font-medium">{claim.requestedBy.name}</span>,
                since: <Time at={claim.since} />,
              })}
            </span>
            {phase !== undefined && phase !== 'DONE' && (
              <span className="text-muted">
                {t('configuration.claim.phase', { phase: t(`vocabulary.phase.${phase}`) })}
              </span>
            )}
          </p>
          {operation?.failure && (
            <p className="mt-1.5 max-w-[80ch] wrap-anywhere">
              {messageText(operation.failure)}{' '}
              <span className="mono text-muted">{operation.failure.errorCode}</span>
            </p>
          )}
          <p className="mt-1.5 max-w-[80ch] text-muted">
            {next
              ? rich('configuration.claim.next', {
                  wait: <Countdown to={next} className="font-medium text-ink" />,
                })
              : t(`configuration.claim.${claim.state}`)}
          </p>
          {claim.state === 'FAILED' && <WaysOut operationId={claim.operationId} />}
        </div>
      </div>
    </section>
  )
}

function WaysOut({ operationId }: { operationId: string }) {
  const t = useText()
  const { can } = useShell()
  const { scope } = useEditor().configuration
  const ways = [
    { key: 'retry', may: can('operation:retry', scope) },
    { key: 'takeover', may: can('operation:takeover', scope) },
  ] as const
  return (
    <ul className="mt-2 space-y-1">
      {ways.map(({ key, may }) => (
        <li key={key} className="flex flex-wrap items-center gap-x-2">
          <Icon name={may ? 'arrowRight' : 'lock'} size={12} className="text-faint" />
          {may ? (
            <TextLink to={paths.operation(operationId)}>{t(`configuration.claim.action.${key}`)}</TextLink>
          ) : (
            <span>{t(`configuration.claim.action.${key}`)}</span>
          )}
          <span className="text-xs text-muted">
            {t(may ? 'configuration.claim.may' : `configuration.claim.mayNot.${key}`)}
          </span>
        </li>
      ))}
    </ul>
  )
}
