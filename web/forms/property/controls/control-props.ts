import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { FieldWiring } from '../../../ui/Field.tsx'
import type { Edit } from '../edit.ts'

/** The wiring of a field. A control of several inputs is a group, which only `aria-labelledby` can name. */
export type ControlWiring = FieldWiring & { 'aria-labelledby'?: string | undefined }

/** What every control of a property value is given. */
export interface ControlProps {
  definition: PropertyDefinition
  /** The value as it would be saved now; null is "not set". */
  value: TypedValue | null
  /** What was typed and is no value yet. */
  unfinished: string | null
  /** For a sensitive property: whether the runtime holds a value. */
  isSet: boolean
  onEdit: (edit: Edit) => void
  /** Takes the edit back: the property is as it is saved. */
  onReset: () => void
  wiring: ControlWiring
  readOnly: boolean
  /** Whose services may be referred to. */
  scope: Scope
  /** The time zone that a schedule is read in, where the resource says one. */
  zone?: string | undefined
}
