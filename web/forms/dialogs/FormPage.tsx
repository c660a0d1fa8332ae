import type { ReactNode } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Form } from '../form/Form.tsx'
import { FormError } from '../form/FormError.tsx'
import type { SubmitError } from '../form/server-errors.ts'

/** A form that is a page or part of one: its fields, then its errors, then its buttons. */
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
  /** True while the form is being sent. */
  busy: boolean
  /** The errors of the last submit that no field shows. */
  error: SubmitError | null
  /** The button's label: the action. */
  submit: string
  /** The number of fields to fix, in case they are out of view. */
  invalid?: number
  /** Why the form cannot be sent, whatever its fields contain. */
  blockedReason?: string | false | null | undefined
  /** What is still missing. The button looks disabled and shows this; pressing it focuses the field. */
  incompleteReason?: string | false | null | undefined
  /** Shown beside the button. */
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
