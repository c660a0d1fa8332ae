import { useText } from '../../../i18n/use-text.ts'
import { lazyPart } from '../../../base/lazy-part.ts'
import { nameOf, type ControlProps } from './control-props.ts'
import { TextButton } from './TextButton.tsx'

const JsonControl = lazyPart(async () => (await import('./JsonControl.tsx')).JsonControl)

/** A value that a form can show in part only, or that the person prefers to edit as JSON. */
export function AsJson({
  onForm,
  ...props
}: ControlProps & {
  /** Returns to the form, if it can show the value. */
  onForm: (() => void) | undefined
}) {
  const t = useText()
  return (
    <div>
      {/* a person who came from the form sees the editor at once */}
      <JsonControl {...props} isFirstOpen={onForm !== undefined} />
      {onForm !== undefined && !props.readOnly && (
        <TextButton of={nameOf(props.wiring)} onClick={onForm} className="mt-1">
          {t('forms.json.form')}
        </TextButton>
      )}
    </div>
  )
}
