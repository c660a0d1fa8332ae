import { useQuery } from '@tanstack/react-query'
import { followsCall } from '#contract/console-api/pages/inbox.ts'
import type { Follow } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useWrite } from '../../api/write.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { showToast } from '../../ui/toast.ts'
import { scopeText } from '../scopes/scope-text.ts'

type Subject = Follow['subject']

/** Whether the person follows something, and how they begin or end it. An operation is followed until it is over. */
export function useFollow(subject: Subject | null) {
  const follows = useQuery({ ...apiQuery('GET /follows', followsCall), enabled: subject !== null })
  const invalidates = ['GET /follows'] as const
  const follow = useWrite('PUT /follows', { invalidates })
  const unfollow = useWrite('DELETE /follows/{followId}', { invalidates })
  const followed =
    subject === null ? undefined : follows.data?.items.find((one) => keyOf(one.subject) === keyOf(subject))
  return {
    isFollowed: followed !== undefined,
    isPending: follow.isPending || unfollow.isPending,
    /** False if it failed, which a toast says. */
    setFollowed: async (next: boolean): Promise<boolean> => {
      if (subject === null || next === (followed !== undefined)) return true
      try {
        if (followed === undefined)
          await follow.mutateAsync({ body: { subject, escalateAfterMinutes: null, escalateTo: [] } })
        else await unfollow.mutateAsync({ params: { followId: followed.followId } })
        return true
      } catch (error) {
        const { title, message } = errorView(error)
        showToast({ tone: 'error', text: `${title} ${message}` })
        return false
      }
    },
  }
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
