import { editsIn, type PropertyFormValues } from '../../forms/property/form-edit.ts'

/** The input for an INSTALL or UPGRADE. */
export interface OperationValues extends PropertyFormValues {
  reason: string
}

/** Keeps the input while the form is unmounted: another version is loading, or cannot be loaded. */
export interface OperationInput {
  values: OperationValues
}

export const emptyInput = (): OperationInput => ({ values: { edits: {}, reason: '' } })

/** Whether something is entered, also while the form is unmounted. */
export const hasInput = ({ values }: OperationInput): boolean =>
  editsIn(values).size > 0 || values.reason.trim() !== ''
