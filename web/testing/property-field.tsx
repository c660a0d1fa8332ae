import { useEffect, useState } from 'react'
import { userEvent } from 'vitest/browser'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { useText } from '../i18n/use-text.ts'
import { renderInConsole } from './render.tsx'
import type { Edit } from '../forms/property/property-edit.ts'
import { editError } from '../forms/property/edit-error.ts'
import { PropertyField } from '../forms/property/controls/PropertyField.tsx'

const scope = { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: 1 }

/**
 * Renders the field of a property, with an edit of a saved business value, or with the removal of one if `first` is
 * undefined; returns the value that would be saved.
 */
export async function renderProperty(
  definition: PropertyDefinition,
  first: JsonValue | undefined,
  saved?: JsonValue,
  kind: ResourceKind = 'MODULE',
) {
  const isSensitive = definition.isSensitive === true
  let current: Edit =
    first === undefined ? { kind: 'removed' } : { kind: 'set', value: { '@type': 'Data', value: first } }
  function Under() {
    const t = useText()
    const [edit, setEdit] = useState<Edit>(current)
    useEffect(() => {
      current = edit
    }, [edit])
    const view = saved === undefined ? null : { '@type': 'Data' as const, value: saved }
    return (
      <PropertyField
        id="setting"
        property="setting"
        definition={definition}
        resourceKind={kind}
        edit={edit}
        view={view}
        // a hidden value is set, whatever is shown of it
        isSet={isSensitive || view !== null}
        onEdit={setEdit}
        onReset={() => undefined}
        error={editError(definition, edit, t)}
        isRequired={definition.required === true}
        readOnly={false}
        scope={scope}
        hints={
          view !== null && (
            <button type="button" onClick={() => setEdit({ kind: 'set', value: view })}>
              Reset
            </button>
          )
        }
      />
    )
  }
  await renderInConsole(<Under />)
  return () => (current.kind === 'set' && current.value['@type'] === 'Data' ? current.value.value : current)
}

/** The same for a required DATA property over a schema. */
export const renderField = (
  schema: JsonObject,
  first: JsonValue | undefined,
  saved?: JsonValue,
  { kind, isRequired = true }: { kind?: ResourceKind; isRequired?: boolean } = {},
) =>
  renderProperty(
    { kind: 'DATA', schema: { title: 'Setting', ...schema }, required: isRequired },
    first,
    saved,
    kind,
  )

/** Pastes a text into the control that has the focus, through the clipboard, which keeps its line endings. */
export async function paste(text: string): Promise<void> {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement)) throw new Error('nothing has the focus')
  // a password field copies nothing, and nothing is copied without a selection
  const source = document.createElement('textarea')
  source.value = 'selected'
  document.body.append(source)
  source.addEventListener('copy', (event) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  })
  const { selectionStart, selectionEnd } = focused as HTMLInputElement
  source.select()
  await userEvent.keyboard('{ControlOrMeta>}c{/ControlOrMeta}')
  source.remove()
  focused.focus()
  if (focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement)
    focused.setSelectionRange(selectionStart, selectionEnd)
  await userEvent.keyboard('{ControlOrMeta>}v{/ControlOrMeta}')
}
