import { useQueryClient, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiQuery } from '../../api/query.ts'
import type { ScopeKey } from '../../addresses/paths.ts'
import type { ComboboxOption } from '../../ui/Combobox.tsx'
import { matchesWords, parseScope, scopeText } from './scope-text.ts'

const SCOPE_LIMIT = 200

export const scopeOption = (scope: ScopeKey): ComboboxOption => ({
  value: scopeText(scope),
  label: scopeText(scope),
})

/** Searches the known scopes by text; a completely typed scope is offered too. */
export function useScopeSearch(): (text: string) => Promise<ComboboxOption[]> {
  const client = useQueryClient()
  return async (text) => {
    const { items } = await client.fetchQuery(apiQuery('GET /scopes', { query: { limit: SCOPE_LIMIT } }))
    const typed = parseScope(text.trim())
    const options = items.map(scopeOption).filter(({ label }) => matchesWords(label, text.trim()))
    const isNew = typed !== null && options.every(({ value }) => value !== scopeText(typed))
    return isNew ? [...options, scopeOption(typed)] : options
  }
}

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
