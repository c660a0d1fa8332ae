import type { Follow } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import { useFollow } from './use-follow.ts'

/** Has the person notified, in their inbox, of what happens to an operation, an installation, a scope or a cause. */
export function FollowButton({ subject }: { subject: Follow['subject'] }) {
  const t = useText()
  const { isFollowed, isPending, setFollowed } = useFollow(subject)
  const press = async () => {
    if ((await setFollowed(!isFollowed)) && !isFollowed) showToast({ text: t('inbox.follow.done') })
  }
  return (
    <Button
      size="sm"
      variant="quiet"
      icon={isFollowed ? 'notificationsOn' : 'notifications'}
      aria-pressed={isFollowed}
      busy={isPending}
      onClick={() => void press()}
    >
      {t(isFollowed ? 'inbox.following' : 'inbox.follow')}
    </Button>
  )
}
