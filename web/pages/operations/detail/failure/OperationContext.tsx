import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ContextCause, OperationDetail, ValueRead } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../../api/session.ts'
import { apiQuery } from '../../../../api/query.ts'
import { paths } from '../../../../addresses/paths.ts'
import { joinList } from '../../../../i18n/punctuation.ts'
import { useErrorView } from '../../../../i18n/describe-code.ts'
import { useRichText, useText, type Translate } from '../../../../i18n/use-text.ts'
import { changeKey } from '../../../../subjects/operations/operation-texts.ts'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { useAsOf } from '../../../../ui/as-of.ts'
import { Badge } from '../../../../ui/Badge.tsx'
import { Button } from '../../../../ui/Button.tsx'
import { ErrorState } from '../../../../ui/ErrorState.tsx'
import { useFirstItems } from '../../../../ui/FirstItems.tsx'
import { LocatorText } from '../../../../ui/Id.tsx'
import { TextLink } from '../../../../ui/Link.tsx'
import { SkeletonLines } from '../../../../ui/Skeleton.tsx'
import { Time } from '../../../../ui/Time.tsx'
import { PropertyValueView } from '../../../../ui/value/ValueView.tsx'
import { consumersIn } from './context-evidence.ts'

/** What an operation that failed or waits depended on; nothing for a stored receipt, which has no live records. */
export function useOperationContext({ operationId, state }: OperationDetail) {
  const isStored = useAsOf() !== null
  return useQuery({
    ...apiQuery('GET /operations/{operationId}/context', { params: { operationId } }),
    enabled: !isStored && (state === 'FAILED' || state === 'WAITING'),
  })
}

/** How many changes are in view at first. */
const SHOWN = 4

/** What changed since the last operation of the installation that succeeded: when, by whom and why, with a link. */
export function WhatChanged({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const rich = useRichText()
  const query = useOperationContext(operation)
  const error = useErrorView(query.error)
  const [isOpen, setOpen] = useState(false)
  const mayAudit = useMay('audit:read', operation.installation)
  const context = query.data
  if (!context) {
    return (
      <Section title={t('operations.context.title')}>
        {error ? (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <SkeletonLines lines={2} />
        )}
      </Section>
    )
  }
  const { causes, hasMore, lastGood, since } = context
  const shown = isOpen ? causes : causes.slice(0, SHOWN)
  const from =
    lastGood === null
      ? rich('operations.context.since', { time: <Time at={since} /> })
      : rich('operations.context.sinceGood', {
          operation: (
            <TextLink to={paths.operation(lastGood.operationId)}>
              {t(`vocabulary.type.${lastGood.operationType}`)}
            </TextLink>
          ),
          time: <Time at={lastGood.finishedAt} />,
        })
  return (
    <Section title={t('operations.context.title')} about={from}>
      {causes.length === 0 ? (
        <p className="text-muted">{t('operations.context.none')}</p>
      ) : (
        <ol className="divide-y divide-line">
          {shown.map((cause) => (
            <CauseRow
              key={`${cause.at} ${cause.kind} ${cause.subject}`}
              cause={cause}
              operation={operation}
            />
          ))}
        </ol>
      )}
      {shown.length < causes.length && (
        <Button size="sm" variant="quiet" onClick={() => setOpen(true)}>
          {t('operations.context.all', { n: causes.length })}
        </Button>
      )}
      {isOpen && hasMore && mayAudit && <p className="text-xs text-muted">{t('operations.context.more')}</p>}
    </Section>
  )
}

function CauseRow({ cause, operation }: { cause: ContextCause; operation: OperationDetail }) {
  const t = useText()
  const rich = useRichText()
  const { at, until, by, kind, subject, reason, during, succeededSince, changes, link } = cause
  // only a new registration gets its address: a limit that was not set before is a change like any other
  const isNew = changes.some(
    ({ property, before }) =>
      before === null &&
      ((kind === 'plugin.save' && property === 'endpoint') ||
        (kind === 'service.save' && property === 'url')),
  )
  const isAfter = operation.finishedAt !== null && at > operation.finishedAt
  return (
    <li className="grid gap-x-4 py-1.5 sm:grid-cols-[8.5rem_minmax(0,1fr)]">
      <span className="text-muted">
        <Time at={at} />
      </span>
      <div className="min-w-0 wrap-anywhere">
        {by === null
          ? t('operations.context.hidden')
          : rich(isNew ? 'operations.context.registered' : changeKey(kind), {
              person: <span className="font-medium">{by.name}</span>,
              subject:
                link === null ? (
                  <span className="font-medium">{subject}</span>
                ) : (
                  <TextLink to={addressOf(link)}>{subject}</TextLink>
                ),
              time: until === undefined ? '' : <Time at={until} />,
            })}
        {(during || isAfter || succeededSince) && (
          <Badge tone={during ? 'doubt' : 'quiet'} className="ml-2">
            {t(`operations.context.${during ? 'during' : isAfter ? 'after' : 'succeededSince'}`)}
          </Badge>
        )}
        {/* of a credential there is nothing to say but that it was created or revoked */}
        {changes.length > 0 && !isNew && !kind.startsWith('plugin.credential') && (
          <span className="block text-xs text-muted">
            {changes.slice(0, 3).map(({ locator, property, before, after }, index) => (
              <span key={`${locator} ${property}`}>
                {index > 0 && ' · '}
                {fieldName(kind, property, t) ?? <span className="mono">{property}</span>}{' '}
                <PropertyValueView value={shownValue(kind, property, before)} />
                {' → '}
                <PropertyValueView value={shownValue(kind, property, after)} />
              </span>
            ))}
            {changes.length > 3 && ` · ${t('operations.context.changes', { n: changes.length - 3 })}`}
          </span>
        )}
        {reason !== null && (
          <span className="block border-l-2 border-line-strong pl-2 text-muted">{reason}</span>
        )}
      </div>
    </li>
  )
}

type Change = ContextCause['changes'][number]

/** The fields of a registration that its form names. */
const NAMED_FIELDS = ['endpoint', 'enabled', 'version', 'timeoutMs', 'maxAttempts', 'maxBackoffMs'] as const
function fieldName(kind: ContextCause['kind'], field: string, t: Translate): string | null {
  if (kind === 'plugin.save' && isNamedField(field)) return t(`plugins.form.${field}`)
  return kind === 'service.save' && (field === 'enabled' || field === 'consumers')
    ? t(`services.form.${field}`)
    : null
}
/** Scopes as people read them. */
const shownValue = (kind: ContextCause['kind'], field: string, value: Change['before']): Change['before'] =>
  kind === 'service.save' && field === 'consumers' && value !== null && 'value' in value
    ? { ...value, value: consumersIn(value.value) }
    : value
const isNamedField = (field: string): field is (typeof NAMED_FIELDS)[number] =>
  NAMED_FIELDS.some((named) => named === field)

function addressOf({ to, id }: NonNullable<ContextCause['link']>) {
  switch (to) {
    case 'plugin':
      return paths.plugin(id)
    case 'service':
      return paths.service(id)
    case 'operation':
      return paths.operation(id)
    case 'installation':
      return paths.installation(id)
  }
}

/** What the failed call reads from other plugins: a retry sends the same values again. */
export function ValuesRead({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const read = useOperationContext(operation).data?.valuesRead ?? []
  // what was left as planned is no news
  const values = read.filter(({ kind }) => kind !== 'KEPT')
  const { shown, more } = useFirstItems(values, 100)
  if (values.length === 0) return null
  // the context has them with the first value of each kind
  const attemptsOf = new Map(
    values.flatMap(({ writer, attempts }) => (attempts.length > 0 ? [[callOf(writer), attempts]] : [])),
  )
  return (
    <Section title={t('operations.values.title')} about={t('operations.values.about')}>
      <ul className="divide-y divide-line">
        {shown.map((value) => (
          <ValueRow
            key={`${value.locator} ${value.property}`}
            value={value}
            attempts={attemptsOf.get(callOf(value.writer)) ?? []}
            isBlamed={operation.nextStep.action === 'CHECK_VALUES'}
            owner={operation.plugins.find(({ pluginId }) => pluginId === value.writer.pluginId)?.owner?.team}
          />
        ))}
      </ul>
      {more}
    </Section>
  )
}

const callOf = ({ stage, pluginId }: ValueRead['writer']): string => `${stage} ${pluginId}`

function ValueRow({
  value: { locator, property, value, writer, kind, at },
  attempts,
  owner,
  isBlamed,
}: {
  value: ValueRead
  /** Those of the call that wrote it. */
  attempts: ValueRead['attempts']
  /** The failure may come from this value rather than from the plugin that read it. */
  isBlamed: boolean
  /** Who is responsible for the plugin that writes it. */
  owner: string | undefined
}) {
  const t = useText()
  const rich = useRichText()
  const results = attempts.map(({ outcome, errorCode, isUnknown }) =>
    isUnknown && errorCode !== null
      ? t('operations.values.unknown', { code: errorCode })
      : (outcome ?? errorCode ?? t('operations.values.lost')),
  )
  const mayHaveActed = attempts.length > 1 && attempts.some(({ isUnknown }) => isUnknown)
  return (
    <li className="grid gap-x-4 py-1.5 sm:grid-cols-[minmax(0,16rem)_minmax(0,1fr)]">
      <div className="min-w-0 wrap-anywhere">
        <span className="mono font-medium">{property}</span>
        <span className="block text-xs text-muted">
          <LocatorText locator={locator} />
        </span>
      </div>
      <div className="min-w-0 wrap-anywhere">
        <PropertyValueView value={value} />
        <span className="block text-xs text-muted">
          {rich(`operations.values.${kind}`, {
            plugin: (
              <PluginLink
                pluginId={writer.pluginId}
                className={isBlamed ? 'font-semibold text-fail' : 'font-medium'}
              />
            ),
            stage: t(`vocabulary.phase.${writer.stage}`),
            time: at === null ? '' : <Time at={at} />,
          })}
          {attempts.length > 1 && ` ${t('operations.values.attempts', { results: joinList(t, results) })}`}
          {mayHaveActed && ` ${t('operations.values.unseen', { plugin: writer.pluginId })}`}
          {owner !== undefined && ` ${t('operations.values.owner', { owner })}`}
        </span>
      </div>
    </li>
  )
}

function Section({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="space-y-1.5 border-t border-line pt-3 first:border-t-0 first:pt-0">
      <h3 className="font-medium">
        {title} {about !== undefined && <span className="font-normal text-muted">{about}</span>}
      </h3>
      {children}
    </section>
  )
}
