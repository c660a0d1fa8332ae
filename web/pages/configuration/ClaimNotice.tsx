import { nextRetryOf } from '../../subjects/operations/operation-texts.ts'
import { useQuery } from '@tanstack/react-query'
import type { Claim } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { paths } from '../../addresses/paths.ts'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { Countdown, Time } from '../../ui/Time.tsx'
import { useEditor } from './editor/editor-context.ts'
import { messageText } from '../../i18n/message-text.ts'

/**
 * Why the form is locked: which operation holds the claim, since when, what it waits for, and the available actions. It is
 * said once, in the dock, so that no field moves when a lock comes or goes.
 */
export function ClaimNotice({ claim }: { claim: Claim }) {
  const t = useText()
  const rich = useRichText()
  const { mayWrite } = useEditor()
  // the list row only: the operation's own page has all details, including every attempt
  const { operationId } = claim
  const rows = useQuery(apiQuery('GET /operations', { query: { q: operationId, limit: 1 } })).data
  const operation = rows?.items.find((row) => row.operationId === operationId)
  const phase = operation?.phase
  const next = claim.state === 'WAITING' && operation !== undefined ? nextRetryOf(operation) : null
  return (
    <section
      aria-label={t('configuration.claim.title')}
      className="flex gap-2.5 bg-sunken py-2 pr-4 pl-4 max-sm:py-1"
    >
      <Icon name="lock" className="mt-0.5 text-muted" />
      <div className="min-w-0 flex-1">
        {/* one line on a phone, where the operation's page says the rest */}
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 max-sm:flex-nowrap">
          <span role="status" className="font-semibold max-sm:sr-only">
            {t('configuration.claim.title')}
          </span>
          <OperationBadge state={claim.state} look="pill" className="shrink-0" />
          <span className="min-w-0 max-sm:truncate">
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
            <span className="text-muted max-sm:hidden">
              {t('configuration.claim.phase', { phase: t(`vocabulary.phase.${phase}`) })}
            </span>
          )}
        </p>
        {operation?.failure && (
          <p className="line-clamp-2 wrap-anywhere max-sm:sr-only" title={messageText(operation.failure)}>
            {messageText(operation.failure)}{' '}
            <span className="mono text-muted">{operation.failure.errorCode}</span>
          </p>
        )}
        <p className="text-muted max-sm:sr-only">
          {mayWrite && t('configuration.claim.draft')}{' '}
          {next
            ? rich('configuration.claim.next', {
                wait: <Countdown to={next} className="font-medium text-ink" />,
              })
            : t(`configuration.claim.${claim.state}`)}
        </p>
        {claim.state === 'FAILED' && <WaysOut operationId={claim.operationId} />}
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
    <ul className="flex flex-wrap gap-x-5 max-sm:hidden">
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
