import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiQuery } from '../../api/query.ts'

/** Suggestions for the parts of a scope, from the known scopes; fetched when the person is about to type. */
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
