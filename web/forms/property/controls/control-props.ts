import type { ComponentType } from 'react'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { ControlWiring } from '../../../ui/Field.tsx'
import type { Edit, Parts } from '../property-edit.ts'

/** The attributes of a control that is a group: its name, its description and the focus belong to the whole. */
export const groupProps = (wiring: ControlWiring) => ({
  role: 'group',
  id: wiring.id,
  tabIndex: -1,
  'aria-labelledby': wiring['aria-labelledby'],
  'aria-label': wiring['aria-label'],
  'aria-describedby': wiring['aria-describedby'],
})

/** The id of what names a control: its label, or the group that it is. */
export const nameOf = (wiring: ControlWiring): string => wiring['aria-labelledby'] ?? wiring.id

/** The props of a control inside another one. */
export type InnerProps = Omit<ControlProps, 'Inner'>

/** The props of every property control. */
export interface ControlProps {
  /** The control of a value inside this one, selected by its schema. */
  Inner: ComponentType<InnerProps>
  /** Of a value inside another one: pointers to its problems. A property's own control finds them itself. */
  problems?: readonly string[]
  definition: PropertyDefinition
  /** The value that would be saved; null is "not set". */
  value: TypedValue | null
  /** The value without the edit; undefined where that cannot be told, as in a list, whose items move. */
  saved?: TypedValue | null | undefined
  /** Input that is not a valid value yet. */
  unfinished: string | null
  /** Whether that input is a partial number, and not JSON. */
  isPartialNumber: boolean
  /** Input inside the value that is not a value yet. */
  parts: Parts
  /** For a sensitive property: whether the runtime has a value; null if that is not known. */
  isSet: boolean | null
  onEdit: (edit: Edit) => void
  /** Discards the edit and returns to the saved value. */
  onReset: () => void
  wiring: ControlWiring
  readOnly: boolean
  /** References may use the services of this scope. */
  scope: Scope
  /** The time zone of a schedule, if the resource names one. */
  zone?: string | undefined
}
