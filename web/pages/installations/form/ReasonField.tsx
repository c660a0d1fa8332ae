import type { Control } from 'react-hook-form'
import { TextAreaField } from '../../../forms/fields/TextAreaField.tsx'
import type { OperationValues } from './use-operation-form.ts'

const REASON_MAX = 1000

export function ReasonField({ control, label }: { control: Control<OperationValues>; label: string }) {
  return (
    <TextAreaField
      control={control}
      name="reason"
      label={label}
      need="optional"
      rows={2}
      maxLength={REASON_MAX}
      className="max-w-2xl"
    />
  )
}
