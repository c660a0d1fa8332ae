import { useQueryClient, useQuery, type QueryClient } from '@tanstack/react-query'
import { isKey } from '#contract/protocol/locator.ts'
import type { ScopeRow } from '#contract/console-api/shapes.ts'
import { useState } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { apiQuery } from '../../api/query.ts'
import type { ScopeKey } from '../../addresses/paths.ts'
import type { ComboboxOption } from '../../ui/Combobox.tsx'
import { matchesWords, parseScope, scopeText } from './scope-text.ts'

const SCOPE_LIMIT = 200

export const scopeOption = (scope: ScopeKey): ComboboxOption => ({
  value: scopeText(scope),
  label: scopeText(scope),
})

const Q_MAX = 128

/** The scopes that may match a text: the known ones, or if there are many, those that the runtime finds. */
export async function scopesFor(client: QueryClient, text: string): Promise<ScopeRow[]> {
  const { items, nextCursor } = await client.fetchQuery(
    apiQuery('GET /scopes', { query: { limit: SCOPE_LIMIT } }),
  )
  const q = text
    .trim()
    .replaceAll(/\s*\/\s*/g, '/')
    .slice(0, Q_MAX)
  if (nextCursor === null || q === '') return items
  return (await client.fetchQuery(apiQuery('GET /scopes', { query: { q, limit: SCOPE_LIMIT } }))).items
}

/** Searches the known scopes by text; a completely typed scope is offered too. */
export function useScopeSearch(): (text: string) => Promise<ComboboxOption[]> {
  const client = useQueryClient()
  return async (text) => {
    const typed = parseScope(text.trim())
    const items = await scopesFor(client, text).catch((error: unknown) => {
      // what is typed completely needs no list
      if (typed === null) throw error
      return []
    })
    const options = items.map(scopeOption).filter(({ label }) => matchesWords(label, text.trim()))
    const isNew = typed !== null && options.every(({ value }) => value !== scopeText(typed))
    return isNew ? [...options, scopeOption(typed)] : options
  }
}

/**
 * Searches environments too, before the scopes; the typed one is the last.
 *
 * @param others further options, after the scopes: so none of them is the first, which Enter selects.
 */
export function usePlaceSearch(
  others: readonly ComboboxOption[] = [],
): (text: string) => Promise<ComboboxOption[]> {
  const t = useText()
  const searchScopes = useScopeSearch()
  return async (text) => {
    const typed = text.trim()
    const matching = others.filter(({ label }) => matchesWords(label, typed))
    const scopes = await searchScopes(text).catch((error: unknown) => {
      if (typed === '' || (!isKey(typed) && matching.length === 0)) throw error
      return []
    })
    const known = [...new Set(scopes.flatMap(({ value }) => parseScope(value)?.environmentKey ?? []))]
    const environment = (value: string) => ({ value, label: value, detail: t('common.scope.environmentKey') })
    return [
      ...known.filter((key) => matchesWords(key, typed)).map(environment),
      ...scopes,
      ...matching,
      // half of a scope is the name of an environment too
      ...(isKey(typed) && !known.includes(typed) ? [{ ...environment(typed), isTyped: true }] : []),
    ]
  }
}

/**
 * The fields of a filter by scope, with suggestions from the known scopes.
 *
 * @returns `ask` fetches the suggestions, when the person is about to type.
 */
export function useScopeFilter(search: Partial<ScopeKey>) {
  const t = useText()
  const [wanted, setWanted] = useState(false)
  const { data } = useQuery({
    ...apiQuery('GET /scopes', { query: { limit: SCOPE_LIMIT } }),
    enabled: wanted,
  })
  return {
    ask: () => setWanted(true),
    filters: SCOPE_PARTS.map((name) => ({
      name,
      label: t(`common.scope.${name}`),
      value: search[name] === undefined ? undefined : String(search[name]),
      suggestions: [...new Set(data?.items.map((scope) => String(scope[name])))],
    })),
  }
}

const SCOPE_PARTS = ['environmentKey', 'applicationRuntimeId', 'workspaceId'] as const
