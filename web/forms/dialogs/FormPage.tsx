import type { ReactNode } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Dock } from '../../ui/Dock.tsx'
import { EnvironmentWord } from '../../ui/EnvironmentMark.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Form } from '../form/Form.tsx'
import { FormError } from '../form/FormError.tsx'
import type { SubmitError } from '../form/server-errors.ts'

/** What gets the focus is scrolled to where the dock does not cover it; the dock itself stays. */
const CLEAR_OF_DOCK = '[&_:is(a,button,input,select,textarea,summary):not(aside_*)]:scroll-my-36'

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
  errorActions,
  docked,
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
  /** What the person can do about an error with this code. */
  errorActions?: (code: string) => ReactNode
  /** How far the form is. With it, errors and buttons stay at the lower edge of the window. */
  docked?: ReactNode
  className: string
  children: ReactNode
}) {
  const t = useText()
  const errors = (
    <>
      {invalid > 0 && (
        <Notice tone="error" live>
          {t('common.form.invalid', { n: invalid })}
        </Notice>
      )}
      <FormError error={error} actions={error && errorActions?.(error.error.problem.code)} />
    </>
  )
  const buttons = (
    <>
      <Button variant="primary" type="submit" busy={busy} disabledReason={blockedReason || incompleteReason}>
        {submit}
      </Button>
      {actions}
    </>
  )
  return (
    <Form
      form={form}
      onSubmit={onSubmit}
      busy={busy}
      blockedReason={blockedReason}
      className={cx(className, docked !== undefined && CLEAR_OF_DOCK)}
    >
      {children}
      {docked === undefined ? (
        <>
          {errors}
          <div className="flex flex-wrap items-center gap-2">{buttons}</div>
        </>
      ) : (
        <Dock label={t('common.form.dock')} homes={['content']} isAfloat>
          <div className="max-h-[30dvh] space-y-2 overflow-y-auto p-2 empty:hidden">{errors}</div>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2 pr-2 pl-4">
            <EnvironmentWord />
            <div className="flex min-w-0 flex-1 basis-72 items-center gap-x-3 max-sm:basis-full">
              {docked}
            </div>
            <span className="flex flex-1 flex-row-reverse flex-wrap gap-2 sm:flex-none">{buttons}</span>
          </div>
        </Dock>
      )}
    </Form>
  )
}
