import type { ReactNode } from 'react'
import type { Control, FieldPathByValue, FieldValues } from 'react-hook-form'

/** The props of every form field; `Value` is the type of its value. */
export interface FieldProps<Values extends FieldValues, Value> {
  control: Control<Values>
  name: FieldPathByValue<Values, Value>
  label: ReactNode
  help?: ReactNode
  /** Marks the field as required or optional; a form marks the rarer kind. */
  need?: 'required' | 'optional'
  /** Shown at the right of the label. */
  hint?: ReactNode
  className?: string
}
