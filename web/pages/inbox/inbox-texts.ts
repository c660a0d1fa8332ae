import type { InboxNotification } from '#contract/console-api/shapes.ts'
import type { LinkTarget } from '../../ui/Link.tsx'
import type { Translate } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { batchTitle } from '../../subjects/batch/batch-title.ts'
import { causeName } from '../../subjects/causes/cause-texts.ts'
import { operationName } from '../../subjects/operations/operation-texts.ts'

/** What a notification says, and the page that it leads to; none if what it is about has been removed. */
export function notificationText(
  { event, by, operation, batch, cause, changeRequest }: InboxNotification,
  t: Translate,
): { text: string; to: LinkTarget | null } {
  const person = by?.name ?? t('inbox.somebody')
  if (batch !== null)
    return {
      text: t('inbox.event.batch.finished', { name: batchTitle(batch, t) }),
      to: paths.batch(batch.batchId),
    }
  if (event === 'escalation.ended')
    return { text: t('inbox.event.escalation.ended'), to: paths.inbox({ view: 'follows' }) }
  if (cause !== null) {
    const name = causeName(cause, t)
    return {
      text:
        by === null
          ? t('inbox.event.cause.solved', { name })
          : t('inbox.event.cause.solvedBy', { person: by.name, name }),
      to: paths.cause(cause.causeId),
    }
  }
  if (changeRequest !== null && isOfChange(event)) {
    const { title: name, changeRequestId } = changeRequest
    const parts = { person, name }
    const isApplied = event === 'change.refused' && changeRequest.state === 'APPLIED'
    const text = t(isApplied ? 'inbox.event.change.incomplete' : `inbox.event.${event}`, parts)
    return { text, to: paths.changeRequest(changeRequestId) }
  }
  if (operation === null || isOfChange(event)) return { text: t('inbox.event.removed'), to: null }
  const to = paths.operation(operation.operationId)
  switch (event) {
    case 'operation.assigned':
    case 'operation.taken_over':
      return { text: t(`inbox.event.${event}`, { person, name: operationName(operation, t) }), to }
    case 'installation.detached': {
      const { bundleInstallId, bundle } = operation.installation
      const name = operation.title ?? bundle.bundleId
      return { text: t(`inbox.event.${event}`, { person, name }), to: paths.installation(bundleInstallId) }
    }
    case 'operation.failed':
    case 'operation.succeeded':
    case 'operation.escalated':
    case 'batch.finished':
    case 'cause.solved':
      return { text: t(`inbox.event.${event}`, { name: operationName(operation, t) }), to }
  }
}

type Event = InboxNotification['event']
const isOfChange = (event: Event): event is Extract<Event, `change.${string}`> => event.startsWith('change.')
