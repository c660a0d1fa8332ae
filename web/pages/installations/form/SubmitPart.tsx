import type { ReactNode } from 'react'
import type { Problem } from '#contract/console-api/problem.ts'
import { LocatorText } from '../../../components/LocatorText.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { ErrorState, type ErrorView } from '../../../ui/ErrorState.tsx'
import { Field } from '../../../ui/Field.tsx'
import { LinkButton, type LinkTarget } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { TextArea } from '../../../ui/TextInput.tsx'

type Detail = NonNullable<Problem['details']>[number]

/** The end of a form that starts an operation: why it is done, what was refused, and the button. */
export function SubmitPart({
  reasonLabel,
  reason,
  onReason,
  wrong,
  error,
  others,
  errorActions,
  submit,
  busy,
  disabledReason,
  cancel,
}: {
  reasonLabel: string
  reason: string
  onReason: (reason: string) => void
  /** How many fields must be mended before it is sent. */
  wrong: number
  error: ErrorView | null
  /** Problems of the refusal that stand at no field. */
  others: readonly Detail[]
  errorActions?: ReactNode
  submit: string
  busy: boolean
  disabledReason: string | false | null
  cancel: LinkTarget
}) {
  const t = useText()
  return (
    <div className="space-y-4">
      <Field label={reasonLabel} need="optional" className="max-w-2xl">
        {(wiring) => (
          <TextArea
            {...wiring}
            rows={2}
            maxLength={1000}
            value={reason}
            onChange={(event) => onReason(event.target.value)}
          />
        )}
      </Field>
      {wrong > 0 && (
        <Notice tone="error" live>
          {t('installations.install.problems', { n: wrong })}
        </Notice>
      )}
      {error && <ErrorState error={error} actions={errorActions} />}
      {others.length > 0 && (
        <Notice tone="error" title={t('installations.form.other')}>
          <ul className="space-y-1">
            {others.map(({ locator, property, path, message }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- two may say the same of the same place
              <li key={index}>
                {locator !== undefined && <LocatorText locator={locator} />}{' '}
                {[property, path].filter(Boolean).map((part) => (
                  <span key={part} className="mono text-muted">
                    {part}{' '}
                  </span>
                ))}
                {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" busy={busy} disabledReason={disabledReason}>
          {submit}
        </Button>
        <LinkButton to={cancel}>{t('common.cancel')}</LinkButton>
      </div>
    </div>
  )
}
