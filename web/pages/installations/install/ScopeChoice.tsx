import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { apiQuery } from '../../../api/query.ts'
import { useScopeSuggestions } from '../../../components/use-scope-suggestions.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox, type ComboboxOption } from '../../../ui/Combobox.tsx'
import { Field } from '../../../ui/Field.tsx'
import { TextInput } from '../../../ui/TextInput.tsx'
import type { InstallSearch } from '../search.ts'

type Parts = Pick<InstallSearch, 'environmentKey' | 'applicationRuntimeId' | 'workspaceId'>
type Change = { [Key in keyof Parts]?: Parts[Key] | undefined }

const KNOWN = 200

/** The scope to install into: one that is known, or any other by its three parts. */
export function ScopeChoice({
  parts,
  onChange,
  readOnly,
}: {
  parts: Parts
  onChange: (parts: Change) => void
  readOnly: boolean
}) {
  const t = useText()
  const [isFree, setFree] = useState(false)
  const search = useScopeSearch()
  const chosen = optionOf(parts)
  return (
    <div>
      {isFree ? (
        <FreeScope parts={parts} onChange={onChange} readOnly={readOnly} />
      ) : (
        <Field label={t('installations.install.scope.existing')} className="max-w-md">
          {(wiring) => (
            <Combobox
              wiring={wiring}
              value={chosen}
              search={search}
              readOnly={readOnly}
              onChange={(option) => onChange(partsOf(option))}
            />
          )}
        </Field>
      )}
      {!readOnly && (
        <Button size="sm" variant="quiet" className="mt-1.5 -ml-2" onClick={() => setFree(!isFree)}>
          {t(isFree ? 'installations.install.scope.back' : 'installations.install.scope.other')}
        </Button>
      )}
    </div>
  )
}

function FreeScope({
  parts,
  onChange,
  readOnly,
}: {
  parts: Parts
  onChange: (parts: Change) => void
  readOnly: boolean
}) {
  const t = useText()
  const { ask, ...known } = useScopeSuggestions()
  const fields = [
    { name: 'environmentKey', label: t('installations.environment'), list: known.environmentKey },
    { name: 'applicationRuntimeId', label: t('installations.runtime'), list: known.applicationRuntimeId },
    { name: 'workspaceId', label: t('installations.workspace'), list: known.workspaceId },
  ] as const
  return (
    <div className="grid max-w-2xl gap-3 sm:grid-cols-3">
      {fields.map(({ name, label, list }) => (
        <Field key={name} label={label}>
          {(wiring) => (
            <>
              <TextInput
                {...wiring}
                code
                readOnly={readOnly}
                inputMode={name === 'workspaceId' ? 'numeric' : undefined}
                maxLength={128}
                list={`${wiring.id}-known`}
                value={parts[name] ?? ''}
                onFocus={ask}
                onChange={(event) => {
                  const text = event.target.value.trim()
                  const isNumber = name === 'workspaceId' && /^\d{1,15}$/.test(text)
                  onChange({
                    [name]:
                      text === ''
                        ? undefined
                        : isNumber
                          ? Number(text)
                          : name === 'workspaceId'
                            ? parts.workspaceId
                            : text,
                  })
                }}
              />
              <datalist id={`${wiring.id}-known`}>
                {list.map((value) => (
                  <option key={value}>{value}</option>
                ))}
              </datalist>
            </>
          )}
        </Field>
      ))}
    </div>
  )
}

/** Known scopes whose text holds what is typed; the API lists them whole. */
function useScopeSearch() {
  const client = useQueryClient()
  return async (text: string): Promise<ComboboxOption[]> => {
    const { items } = await client.fetchQuery(apiQuery('GET /scopes', { query: { limit: KNOWN } }))
    return items
      .map((scope) => optionOf(scope))
      .filter((option) => option !== null)
      .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
  }
}

function optionOf({ environmentKey, applicationRuntimeId, workspaceId }: Parts): ComboboxOption | null {
  if (environmentKey === undefined || applicationRuntimeId === undefined || workspaceId === undefined)
    return null
  const text = `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  return { value: text, label: text }
}

function partsOf(option: ComboboxOption | null): Change {
  const [environmentKey, applicationRuntimeId, workspaceId] = option?.value.split('/') ?? []
  return {
    environmentKey,
    applicationRuntimeId,
    workspaceId: workspaceId === undefined ? undefined : Number(workspaceId),
  }
}
