import type { InboxNotification } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { useNow } from '../../ui/use-now.ts'
import { notificationText } from './inbox-texts.ts'

/** What a change of notifications makes outdated. */
export const INVALIDATES = ['GET /inbox', 'GET /inbox/unread'] as const

/** Marks one notification as read or unread, and snoozes it. */
export function NotificationActions({ notification }: { notification: InboxNotification }) {
  const t = useText()
  const now = useNow(60_000)
  const mark = useWrite('POST /inbox/mark', { invalidates: INVALIDATES })
  const snooze = useWrite('POST /inbox/snooze', { invalidates: INVALIDATES })
  const notificationIds = [notification.notificationId]
  const isRead = notification.readAt !== null
  const { text } = notificationText(notification, t)
  return (
    <Menu
      label={t('inbox.actionsOf', { text })}
      renderTrigger={(props) => (
        <Button {...props} size="sm" variant="quiet" icon="more" label={t('inbox.actionsOf', { text })} />
      )}
    >
      {notification.snoozedUntil === null ? (
        <>
          <MenuItem icon="check" onSelect={() => mark.mutate({ body: { notificationIds, read: !isRead } })}>
            {t(isRead ? 'inbox.markUnread' : 'inbox.markRead')}
          </MenuItem>
          {snoozeTimes(now).map(({ key, at }) => (
            <MenuItem
              key={key}
              icon="waiting"
              onSelect={() => snooze.mutate({ body: { notificationIds, until: new Date(at).toISOString() } })}
            >
              {t(`inbox.snooze.${key}`)}
            </MenuItem>
          ))}
        </>
      ) : (
        <MenuItem icon="undo" onSelect={() => snooze.mutate({ body: { notificationIds, until: null } })}>
          {t('inbox.endSnooze')}
        </MenuItem>
      )}
    </Menu>
  )
}

const HOUR = 3_600_000
const MORNING = 9

/** Until when a notification can be snoozed, in milliseconds since 1970. Mornings are those of the browser. */
function snoozeTimes(now: number): { key: 'hour' | 'afternoon' | 'tomorrow' | 'monday'; at: number }[] {
  const morning = (days: number) => {
    const day = new Date(now)
    day.setDate(day.getDate() + days)
    return day.setHours(MORNING, 0, 0, 0)
  }
  // Monday is in 7 days if today is one
  const toMonday = 7 - ((new Date(now).getDay() + 6) % 7)
  return [
    { key: 'hour', at: now + HOUR },
    { key: 'afternoon', at: now + 4 * HOUR },
    { key: 'tomorrow', at: morning(1) },
    { key: 'monday', at: morning(toMonday) },
  ]
}
