import { useText } from '../../../i18n/use-text.ts'
import { lazyWithRetry } from '../../../load-with-retry.ts'
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
      {onForm !== undefined && !props.readOnly && <FormOrJson to="form" onClick={onForm} />}
    </div>
  )
}

export function FormOrJson({ to, onClick }: { to: 'form' | 'json'; onClick: () => void }) {
  const t = useText()
  return (
    <button
      type="button"
      onClick={onClick}
      className="mt-1 h-6 rounded-sm text-xs font-medium text-muted hover:text-ink hover:underline"
    >
      {t(`forms.${to === 'json' ? 'json.edit' : 'json.form'}`)}
    </button>
  )
}
