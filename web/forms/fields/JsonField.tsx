import { Suspense } from 'react'
import { useController, type FieldValues } from 'react-hook-form'
import type { Problem } from '#contract/json-schema/json-schema.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { LazyJsonEditor } from '../json/lazy-json-editor.ts'
import { Field } from '../../ui/Field.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useFormBusy } from '../form/Form.tsx'
import type { FieldProps } from './field-props.ts'
import type { PlacedMessage } from '../json/JsonEditor.tsx'

/** A JSON document, stored as the typed text. */
export function JsonField<Values extends FieldValues>({
  control,
  name,
  editorLabel,
  check,
  refused,
  readOnly = false,
  onType,
  height = 'auto',
  ...rest
}: FieldProps<Values, string> & {
  /** The accessible name of the editor. */
  editorLabel: string
  /** Finds the errors in a document that parses; each is shown at its position in the text. */
  check: (value: JsonValue) => readonly Problem[]
  /** The errors that the server found in this text; the first is scrolled into view. */
  refused?: readonly PlacedMessage[] | undefined
  readOnly?: boolean
  /** Called on every change made by typing. */
  onType?: (text: string) => void
  /** `tall` takes most of the window's height. */
  height?: 'auto' | 'tall'
}) {
  const { field, fieldState } = useController({ control, name })
  const busy = useFormBusy()
  return (
    <Field {...rest} error={fieldState.error?.message}>
      {(wiring) => (
        <Suspense fallback={<Skeleton className="h-40 w-full rounded-md" />}>
          <LazyJsonEditor
            wiring={wiring}
            text={field.value}
            label={editorLabel}
            check={check}
            refused={refused}
            pointed={refused?.[0]?.path}
            readOnly={readOnly || busy}
            height={height}
            onText={(text) => {
              field.onChange(text)
              onType?.(text)
            }}
          />
        </Suspense>
      )}
    </Field>
  )
}
