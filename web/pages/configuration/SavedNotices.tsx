import { nextRetryOf } from '../../subjects/operations/operation-texts.ts'
import { useQuery } from '@tanstack/react-query'
import { useId, useState, type ReactNode } from 'react'
import type { Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Countdown, Duration } from '../../ui/Time.tsx'
import { useEditor } from './editor/editor-context.ts'
import type { SavedSnapshot } from './editor/use-save.ts'
import { messageText } from '../../i18n/message-text.ts'

/**
 * The saves of this visit: the newest, and on request the earlier ones. Earlier saves that need attention are always
 * shown.
 */
export function SavedNotices({
  saved,
  onDismiss,
}: {
  /** Oldest first. */
  saved: readonly SavedSnapshot[]
  onDismiss: (versions: readonly number[]) => void
}) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const now = useOperations(saved.flatMap(({ operations }) => operations))
  const newestFirst = saved.toReversed().map(({ version, operations }) => ({
    version,
    operations: operations.map((one) => now.get(one.operationId) ?? one),
  }))
  const [newest, ...earlier] = newestFirst
  if (newest === undefined) return null
  const folded = earlier.filter(({ operations }) => !operations.some(needsAttention))
  const shown = isOpen ? earlier : earlier.filter((one) => !folded.includes(one))
  return (
    <>
      <SavedNotice
        saved={newest}
        // what the person does not see closes with it
        onDismiss={() => onDismiss([newest, ...(isOpen ? [] : folded)].map(({ version }) => version))}
        actions={
          folded.length > 0 && (
            <Button
              variant="quiet"
              size="sm"
              aria-expanded={isOpen}
              aria-controls={id}
              trailing={<Icon name="chevronDown" size={12} className={isOpen ? 'rotate-180' : ''} />}
              onClick={() => setIsOpen(!isOpen)}
            >
              {t('configuration.saved.earlier', { n: folded.length })}
            </Button>
          )
        }
      />
      <div id={id} className="max-h-[40dvh] divide-y divide-line overflow-y-auto empty:hidden">
        {shown.map((one) => (
          <SavedNotice key={one.version} saved={one} onDismiss={() => onDismiss([one.version])} />
        ))}
      </div>
    </>
  )
}

const needsAttention = ({ state }: Operation): boolean => state === 'FAILED' || state === 'TAKEN_OVER'

/** A save is not a success yet: shows the progress of each of its operations until it has ended. */
function SavedNotice({
  saved: { version, operations },
  onDismiss,
  actions,
}: {
  saved: SavedSnapshot
  onDismiss: () => void
  actions?: ReactNode
}) {
  const t = useText()
  const { titleOf } = useEditor()
  if (operations.length === 0) {
    return (
      <Frame
        icon="info"
        tint="text-muted"
        title={t('configuration.saved.nothing')}
        onDismiss={onDismiss}
        actions={actions}
      >
        {t('configuration.saved.nothing.message', { version: String(version) })}
      </Frame>
    )
  }
  const isDone = operations.every(({ state }) => state === 'SUCCEEDED')
  const isStuck = operations.some(needsAttention)
  const [icon, tint]: [IconName, string] = isDone
    ? ['done', 'text-ok']
    : isStuck
      ? ['failed', 'text-fail']
      : ['running', 'text-live']
  return (
    <Frame
      icon={icon}
      tint={tint}
      title={t(
        isDone
          ? 'configuration.saved.done'
          : isStuck
            ? 'configuration.saved.failed'
            : 'configuration.saved.running',
        { version: String(version) },
      )}
      onDismiss={onDismiss}
      actions={actions}
    >
      <ul className="max-h-40 overflow-y-auto">
        {operations.map((operation) => (
          <li key={operation.operationId} className="flex flex-wrap items-center gap-x-3 gap-y-0.5 py-0.5">
            <TextLink to={paths.operation(operation.operationId)}>
              {t('configuration.plan.runs', {
                type: t(`vocabulary.type.${operation.operationType}`),
                bundle: titleOf(operation.installation),
              })}
            </TextLink>
            <OperationBadge state={operation.state} />
            <Progress operation={operation} />
          </li>
        ))}
      </ul>
    </Frame>
  )
}

function Progress({ operation }: { operation: Operation }) {
  const t = useText()
  const rich = useRichText()
  const { state, phase, failure, startedAt, finishedAt } = operation
  const retryAt = nextRetryOf(operation)
  if (state === 'WAITING' && retryAt !== null) {
    return (
      <span className="text-muted">
        {rich('configuration.saved.retriesIn', { time: <Countdown to={retryAt} /> })}
      </span>
    )
  }
  if (failure !== null && state === 'FAILED') {
    return <span className="min-w-0 text-muted wrap-anywhere">{messageText(failure)}</span>
  }
  if (state === 'SUCCEEDED' && startedAt !== null && finishedAt !== null) {
    return (
      <span className="text-faint">
        <Duration ms={Date.parse(finishedAt) - Date.parse(startedAt)} />
      </span>
    )
  }
  return phase === 'DONE' ? null : <span className="text-muted">{t(`vocabulary.phase.${phase}`)}</span>
}

function Frame({
  icon,
  tint,
  title,
  onDismiss,
  actions,
  children,
}: {
  icon: IconName
  tint: string
  title: string
  onDismiss: () => void
  actions: ReactNode
  children: ReactNode
}) {
  const t = useText()
  return (
    <section role="status" className="flex gap-2.5 py-2 pr-2 pl-4">
      <Icon name={icon} className={`mt-0.5 ${tint}`} />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{title}</p>
        <div>{children}</div>
      </div>
      {actions}
      <Button variant="quiet" size="sm" icon="close" label={t('common.close')} onClick={onDismiss} />
    </section>
  )
}

/** The current operations of saves, by id; the event stream keeps them up to date. */
function useOperations(started: readonly Operation[]): ReadonlyMap<string, Operation> {
  const first = started[0]
  const { environmentKey, applicationRuntimeId, workspaceId } = first?.installation ?? NO_SCOPE
  const query = {
    environmentKey,
    applicationRuntimeId,
    workspaceId,
    since: first?.createdAt ?? EPOCH,
    limit: 200,
  }
  const { data } = useQuery({ ...apiQuery('GET /operations', { query }), enabled: first !== undefined })
  return new Map(data?.items.map((operation) => [operation.operationId, operation]))
}

const EPOCH = '1970-01-01T00:00:00.000Z'
const NO_SCOPE = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }
