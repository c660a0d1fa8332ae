import { Fragment, useState } from 'react'
import type { AuditEntry } from '#contract/console-api/shapes.ts'
import type { AuditAction } from '#contract/console-api/vocabulary.ts'
import { ChangeList } from '../../subjects/plan/ChangeList.tsx'
import { codeTitle } from '../../i18n/describe-code.ts'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { useManagerText } from '../../subjects/people/use-manager-text.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { LinkButton, PlainLink } from '../../ui/Link.tsx'
import { Time } from '../../ui/Time.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import {
  batchSubject,
  batchSubjectText,
  changeSubject,
  isTime,
  operationSubject,
  plainSubject,
} from './audit-subject.ts'

/** `edit` for the others. */
const ICONS: Partial<Record<AuditAction, IconName>> = {
  'configuration.save': 'scopes',
  'configuration.compare': 'key',
  'installation.install': 'plus',
  'installation.upgrade': 'sortUp',
  'installation.detach': 'detached',
  'installation.protect': 'lock',
  'installation.unprotect': 'unlocked',
  'installation.pin': 'bookmark',
  'installation.unpin': 'bookmark',
  'operation.retry': 'retry',
  'operation.attempt-now': 'retry',
  'operation.stop-retrying': 'close',
  'operation.takeover': 'takenOver',
  'operation.pause': 'paused',
  'operation.resume': 'running',
  'scope.pause': 'paused',
  'scope.resume': 'running',
  'plugin.pause': 'paused',
  'plugin.resume': 'running',
  'batch.create': 'plus',
  'batch.continue': 'retry',
  'batch.stop': 'failed',
  'change.approve': 'done',
  'change.reject': 'failed',
  'change.apply': 'retry',
  'change.policy': 'lock',
  'bundle.publish': 'catalog',
  'bundle.deprecate': 'catalog',
  'bundle.recall': 'catalog',
  'bundle.reinstate': 'catalog',
  'plugin.save': 'plugins',
  'plugin.retire': 'plugins',
  'plugin.reinstate': 'plugins',
  'plugin.report': 'plugins',
  'plugin.policy': 'plugins',
  'plugin.credential.create': 'key',
  'plugin.credential.revoke': 'key',
  'service.save': 'services',
  'freeze.save': 'clock',
  'freeze.delete': 'clock',
  'webhook.create': 'notifications',
  'webhook.save': 'notifications',
  'webhook.delete': 'notifications',
  'webhook.test': 'notifications',
  'view.create': 'filter',
  'view.save': 'filter',
  'view.delete': 'filter',
  'session.sign-in': 'unlocked',
  'session.sign-out': 'signOut',
  'session.end': 'signOut',
  'data.read': 'search',
  'retention.run': 'clock',
}

/** One audited action as a sentence, with its reason and changes. */
export function AuditRow({ entry }: { entry: AuditEntry }) {
  const t = useText()
  const rich = useRichText()
  const { action, actor, at, subject, scope, bundleInstallId, operationId, reason, outcome } = entry
  const batch = batchSubject(subject)
  const change = changeSubject(subject)
  const named =
    change?.title ??
    (batch === null ? plainSubject(operationSubject(subject, t)) : batchSubjectText(batch, t))
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-2.5 sm:grid-cols-[7.5rem_minmax(0,1fr)_auto]">
      <div className="text-muted">
        {/* the console records a refusal later */}
        <Time at={entry.occurrences?.firstAt ?? at} />
      </div>
      <div className="min-w-0 space-y-0.5">
        <div className="flex gap-2">
          <Icon name={ICONS[action] ?? 'edit'} className="mt-0.5 text-faint" />
          <div className="min-w-0 wrap-anywhere">
            {rich(`audit.${outcome === 'REFUSED' ? 'refused' : 'done'}.${action}`, {
              person: (
                <PlainLink
                  to={paths.audit({ actor: actor.id })}
                  aria-label={t('audit.actor.by', { name: actor.name })}
                  className="target rounded-sm font-medium hover:underline"
                >
                  {actor.name}
                </PlainLink>
              ),
              subject:
                bundleInstallId === null ? (
                  <span className="font-medium">{isTime(subject) ? <Time at={subject} exact /> : named}</span>
                ) : (
                  <PlainLink
                    to={paths.installation(bundleInstallId)}
                    className="target rounded-sm font-medium hover:underline"
                  >
                    {named}
                  </PlainLink>
                ),
            })}
            {scope && (
              <span className="text-muted">
                {rich('audit.scope', { scope: <ScopeLink scope={scope} /> })}
              </span>
            )}
            {outcome === 'REFUSED' && (
              <Tooltip text={t('audit.refused.meaning')}>
                {(target) => (
                  <Badge {...target} tone="fail" icon="failed" className="ml-2">
                    {t('audit.refused')}
                  </Badge>
                )}
              </Tooltip>
            )}{' '}
            <Origin entry={entry} />
          </div>
        </div>
        <div className="flex flex-wrap items-baseline gap-x-3 pl-6 empty:hidden">
          {reason !== null && (
            <p className="text-muted wrap-anywhere">
              <span className="sr-only">
                {t('audit.reason')}
                {t('common.punctuation.colon')}
              </span>
              “{reason}”
            </p>
          )}
          {entry.changes.length > 0 && <Changes changes={entry.changes} />}
        </div>
      </div>
      <div className="flex gap-1 max-sm:pl-4 sm:-mr-2 sm:justify-end">
        {batch !== null && batch.batchId !== null && (
          <LinkButton variant="quiet" size="sm" to={paths.batch(batch.batchId)}>
            {t('audit.batch.view')}
          </LinkButton>
        )}
        {change !== null && (
          <LinkButton variant="quiet" size="sm" to={paths.changeRequest(change.changeRequestId)}>
            {t('changes.one')}
          </LinkButton>
        )}
        {operationId !== null && (
          <LinkButton variant="quiet" size="sm" to={paths.operation(operationId)}>
            {t('audit.operation')}
          </LinkButton>
        )}
      </div>
    </li>
  )
}

/** The error of a refused action, how often it occurred, and on demand its origin, where recorded. */
function Origin({ entry }: { entry: AuditEntry }) {
  const t = useText()
  const rich = useRichText()
  const { actor, clientAddress, errorCode, occurrences } = entry
  const [isOpen, setIsOpen] = useState(false)
  // the same in nearly every entry
  const source = [
    clientAddress !== null && t('audit.from', { address: clientAddress }),
    actor.issuer !== null && t('audit.issuer', { issuer: actor.issuer }),
  ]
    .filter((fact) => fact !== false)
    .join(' · ')
  const facts = [
    errorCode !== null && codeTitle(errorCode),
    occurrences !== null &&
      occurrences.count > 1 &&
      rich('audit.occurrences.span', {
        times: t('audit.occurrences', { n: occurrences.count }),
        first: <Time at={occurrences.firstAt} />,
        last: <Time at={occurrences.lastAt} />,
      }),
  ].filter((fact) => fact !== false)
  return (
    <>
      {facts.length > 0 && (
        <span className="text-xs text-faint wrap-anywhere">
          <span aria-hidden="true"> · </span>
          {facts.map((fact, index) => (
            // the facts of an entry keep their order
            // oxlint-disable-next-line react/no-array-index-key
            <Fragment key={index}>
              {index > 0 && ' · '}
              {fact}
            </Fragment>
          ))}
        </span>
      )}
      {source !== '' && (
        <>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={t('audit.source')}
            title={source}
            className="ml-0.5 inline-flex size-6 items-center justify-center rounded-sm align-middle text-faint hover:text-ink"
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name="info" size={14} />
          </button>
          {isOpen && <span className="text-xs text-muted wrap-anywhere">{source}</span>}
        </>
      )}
    </>
  )
}

/** The changes are rendered on demand: an install has dozens, and a page shows fifty entries. */
function Changes({ changes }: { changes: AuditEntry['changes'] }) {
  const t = useText()
  const [open, setOpen] = useState(false)
  const managerText = useManagerText()
  const noteOn = ({ managedBy, takenOver }: AuditEntry['changes'][number]) => {
    if (managedBy === undefined) return null
    const manager = managerText(managedBy)
    return takenOver === undefined
      ? t('audit.changes.applied', { manager })
      : t('audit.changes.takenOver', { manager, from: managerText(takenOver.from), reason: takenOver.reason })
  }
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/changes open:basis-full"
    >
      <summary className="inline-flex min-h-6 items-center gap-1 rounded-sm pr-1 text-muted hover:text-ink">
        <Icon name="chevronRight" size={14} className="group-open/changes:rotate-90" />
        {t('audit.changes', { n: changes.length })}
      </summary>
      {open && (
        <div className="mt-2">
          <ChangeList changes={changes} label={t('audit.changes.label')} noteOn={noteOn} />
        </div>
      )}
    </details>
  )
}
