import { useId, type ReactNode } from 'react'
import type { ApiError } from '../api/client.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { Switch } from '../ui/Checkbox.tsx'
import { Dialog } from '../ui/dialog/Dialog.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Field } from '../ui/Field.tsx'
import { TextInput } from '../ui/TextInput.tsx'
import { useErrorView } from './describe-code.ts'

/** The form by which a plugin or a service is registered or changed. Problems of single fields stand at the fields. */
export function RegistrationDialog({
  title,
  description,
  submit,
  busy,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string
  description?: string
  submit: string
  busy: boolean
  error: ApiError | null
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}) {
  const t = useText()
  const form = useId()
  const isAtFields = error?.problem.details?.some(({ path }) => path?.startsWith('body.')) === true
  const shown = useErrorView(isAtFields ? null : error)
  return (
    <Dialog
      open
      onClose={onClose}
      busy={busy}
      title={title}
      {...(description !== undefined && { description })}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form={form} busy={busy}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          onSubmit()
        }}
      >
        {children}
        {shown && <ErrorState error={shown} />}
      </form>
    </Dialog>
  )
}

/** A field of one line; keys and addresses are cut at their blanks as they are pasted. */
export function LineField({
  label,
  help,
  error,
  value,
  maxLength,
  kind,
  onChange,
}: {
  label: string
  help?: string
  error: string | undefined
  value: string
  maxLength: number
  kind: 'words' | 'key' | 'address'
  onChange: (value: string) => void
}) {
  return (
    <Field label={label} help={help} error={error}>
      {(wiring) => (
        <TextInput
          {...wiring}
          code={kind !== 'words'}
          inputMode={kind === 'address' ? 'url' : undefined}
          maxLength={maxLength}
          value={value}
          onChange={(event) => onChange(kind === 'words' ? event.target.value : event.target.value.trim())}
        />
      )}
    </Field>
  )
}

/** Whether it is in use; what it means that it is not is said when it is switched off. */
export function EnabledField({
  label,
  meaning,
  enabled,
  onChange,
}: {
  label: string
  meaning: string
  enabled: boolean
  onChange: (enabled: boolean) => void
}) {
  return (
    <Switch checked={enabled} onChange={(event) => onChange(event.target.checked)}>
      <span className="font-medium">{label}</span>
      {!enabled && <span className="block text-xs text-muted">{meaning}</span>}
    </Switch>
  )
}
