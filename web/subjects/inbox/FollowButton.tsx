import type { Follow } from '#contract/console-api/shapes.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import { useFollow } from './use-follow.ts'

/** Has the person notified, in their inbox, of what happens to an operation, an installation, a scope or a cause. */
export function FollowButton({ subject }: { subject: Follow['subject'] }) {
  const t = useText()
  const { isFollowed, isPending, setFollowed } = useFollow(subject)
  const press = async () => {
    try {
      await setFollowed(!isFollowed)
      if (!isFollowed) showToast({ text: t('inbox.follow.done') })
    } catch (error) {
      const { title, message } = errorView(error)
      showToast({ tone: 'error', text: `${title} ${message}` })
    }
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
