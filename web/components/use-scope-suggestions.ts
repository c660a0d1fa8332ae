import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiQuery } from '../api/query.ts'

/** What the parts of the known scopes are called; asked for when somebody is about to type one. */
export function useScopeSuggestions() {
  const [wanted, setWanted] = useState(false)
  const { data } = useQuery({ ...apiQuery('GET /scopes', { query: { limit: 200 } }), enabled: wanted })
  const known = (part: 'environmentKey' | 'applicationRuntimeId' | 'workspaceId') => [
    ...new Set(data?.items.map((scope) => String(scope[part]))),
  ]
  return {
    ask: () => setWanted(true),
    environmentKey: known('environmentKey'),
    applicationRuntimeId: known('applicationRuntimeId'),
    workspaceId: known('workspaceId'),
  }
}
