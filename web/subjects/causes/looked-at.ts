import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { lookedAtCall } from '#contract/console-api/pages/causes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'

/**
 * When the person last looked at the causes, in any browser, in milliseconds since 1970; null the first time. It stays for as long
 * as the page is open, so that a mark does not disappear while it is read.
 */
export function useLookedAt(): number | null {
  const client = useQueryClient()
  const { data } = useQuery({ ...apiQuery('GET /looked-at', lookedAtCall), refetchInterval: false })
  const [before, setBefore] = useState<{ causesAt: string | null } | null>(null)
  if (before === null && data !== undefined) setBefore(data)
  const isShown = before !== null
  useEffect(() => {
    if (!isShown) return
    const leave = () => {
      // it is not important enough to say that it failed
      callApi('PUT /looked-at', {}, { keepalive: true }).then(
        (now) => client.setQueryData(apiQuery('GET /looked-at', lookedAtCall).queryKey, now),
        () => undefined,
      )
    }
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [client, isShown])
  const causesAt = before?.causesAt ?? null
  return causesAt === null ? null : Date.parse(causesAt)
}

/** Whether a cause began since the person last looked. */
export const isNewSince = ({ openedAt }: { openedAt: string }, lookedAt: number | null): boolean =>
  lookedAt !== null && Date.parse(openedAt) > lookedAt
