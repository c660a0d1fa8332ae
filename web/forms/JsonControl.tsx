import type { JsonValue } from '#contract/protocol/json.ts'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from './edit.ts'
import { JsonEditor } from './JsonEditor.tsx'

/** Whatever no simpler control can edit without loss, as a JSON document with the schema's problems in place. */
export function JsonControl({ definition, value, unfinished, onEdit, wiring, readOnly }: ControlProps) {
  const data = dataValue(value)
  return (
    <JsonEditor
      wiring={wiring}
      text={unfinished ?? (data === undefined ? '' : JSON.stringify(data, null, 2))}
      schema={definition.schema ?? true}
      readOnly={readOnly}
      onText={(text) => {
        if (text.trim() === '') return onEdit({ kind: 'removed' })
        const parsed = parse(text)
        onEdit(parsed === undefined ? { kind: 'unfinished', text } : setData(definition, parsed))
      }}
    />
  )
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
