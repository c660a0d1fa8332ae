import { useText } from '../../../i18n/use-text.ts'
import { lazyWithRetry } from '../../../load-with-retry.ts'
import { cx } from '../../../ui/class-names.ts'
import type { ControlProps } from './control-props.ts'

const JsonControl = lazyWithRetry(async () => ({ default: (await import('./JsonControl.tsx')).JsonControl }))

/** A value that a form can show in part only, or that the person prefers to edit as JSON. */
export function AsJson({
  onForm,
  ...props
}: ControlProps & {
  /** Returns to the form, if it can show the value. */
  onForm: (() => void) | undefined
}) {
  return (
    <div>
      {/* a person who came from the form sees the editor at once */}
      <JsonControl {...props} isFirstOpen={onForm !== undefined} />
      {onForm !== undefined && !props.readOnly && <FormOrJson to="form" onClick={onForm} className="mt-1" />}
    </div>
  )
}

export function FormOrJson({
  to,
  onClick,
  className,
}: {
  to: 'form' | 'json'
  onClick: () => void
  className?: string
}) {
  const t = useText()
  return (
    <button
      type="button"
      onClick={onClick}
      className={cx(
        'h-6 rounded-sm text-xs font-medium text-muted hover:text-ink hover:underline',
        className,
      )}
    >
      {t(`forms.${to === 'json' ? 'json.edit' : 'json.form'}`)}
    </button>
  )
}
