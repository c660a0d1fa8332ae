import { useQuery } from '@tanstack/react-query'
import { followsCall } from '#contract/console-api/pages/inbox.ts'
import type { Follow } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useWrite } from '../../api/write.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import { scopeText } from '../scopes/scope-text.ts'

type Subject = Follow['subject']

/** Has the person notified, in their inbox, of what happens to an operation, an installation, a scope or a cause. */
export function FollowButton({ subject }: { subject: Subject }) {
  const t = useText()
  const follows = useQuery(apiQuery('GET /follows', followsCall))
  const invalidates = ['GET /follows'] as const
  const follow = useWrite('PUT /follows', { invalidates })
  const unfollow = useWrite('DELETE /follows/{followId}', { invalidates })
  const followed = follows.data?.items.find((one) => keyOf(one.subject) === keyOf(subject))
  const press = async () => {
    try {
      if (followed === undefined) {
        await follow.mutateAsync({ body: { subject, escalateAfterMinutes: null, escalateTo: [] } })
        showToast({ text: t('inbox.follow.done') })
      } else await unfollow.mutateAsync({ params: { followId: followed.followId } })
    } catch (error) {
      const { title, message } = errorView(error)
      showToast({ tone: 'error', text: `${title} ${message}` })
    }
  }
  return (
    <Button
      size="sm"
      variant="quiet"
      icon={followed === undefined ? 'notifications' : 'notificationsOn'}
      aria-pressed={followed !== undefined}
      busy={follow.isPending || unfollow.isPending}
      onClick={() => void press()}
    >
      {t(followed === undefined ? 'inbox.follow' : 'inbox.following')}
    </Button>
  )
}

function keyOf(subject: Subject): string {
  switch (subject.kind) {
    case 'operation':
      return `operation ${subject.operationId}`
    case 'installation':
      return `installation ${subject.bundleInstallId}`
    case 'scope':
      return `scope ${scopeText(subject.scope)}`
    case 'cause':
      return `cause ${subject.causeId}`
  }
}
