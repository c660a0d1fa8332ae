import type { ReactNode } from 'react'
import type { Control, FieldPathByValue, FieldValues } from 'react-hook-form'

/** What every field of a form is given; `Value` is what it holds. */
export interface FieldProps<Values extends FieldValues, Value> {
  control: Control<Values>
  name: FieldPathByValue<Values, Value>
  label: ReactNode
  help?: ReactNode
  /** Marks it as required or optional; a form marks the rarer of the two. */
  need?: 'required' | 'optional'
  /** At the right of the label. */
  hint?: ReactNode
  className?: string
}
