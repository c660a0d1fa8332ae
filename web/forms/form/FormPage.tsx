import type { ReactNode } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Form } from './Form.tsx'
import { FormError } from './FormError.tsx'
import type { SubmitError } from './server-errors.ts'

/** A form that is a page or a part of one: its fields, then its errors, then its buttons. */
export function FormPage<Values extends FieldValues>({
  form,
  onSubmit,
  busy,
  error,
  submit,
  invalid = 0,
  blockedReason,
  incompleteReason,
  actions,
  className,
  children,
}: {
  form: UseFormReturn<Values>
  onSubmit: (values: Values) => Promise<void>
  /** While it is sent. */
  busy: boolean
  /** Why it was not accepted, as far as no field shows it. */
  error: SubmitError | null
  /** The word on the button: what it does. */
  submit: string
  /** How many fields must be fixed before it is sent, where they may be out of sight. */
  invalid?: number
  /** Why it cannot be sent, whatever its fields hold. */
  blockedReason?: string | false | null | undefined
  /** What is missing still. The button looks disabled and says it; pressed, it leads to the field. */
  incompleteReason?: string | false | null | undefined
  /** Beside the button. */
  actions?: ReactNode
  className: string
  children: ReactNode
}) {
  const t = useText()
  return (
    <Form form={form} onSubmit={onSubmit} busy={busy} blockedReason={blockedReason} className={className}>
      {children}
      {invalid > 0 && (
        <Notice tone="error" live>
          {t('common.form.invalid', { n: invalid })}
        </Notice>
      )}
      <FormError error={error} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          type="submit"
          busy={busy}
          disabledReason={blockedReason || incompleteReason}
        >
          {submit}
        </Button>
        {actions}
      </div>
    </Form>
  )
}
