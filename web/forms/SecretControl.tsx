import { useEffect, useRef } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { SecretInput } from '../ui/TextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from './edit.ts'

/** A sensitive text: never shown, replaced or left. What is typed lives in memory only. */
export function SecretControl({ definition, value, isSet, onEdit, onReset, wiring, readOnly }: ControlProps) {
  const t = useText()
  const typed = dataValue(value)
  const isOpen = typeof typed === 'string'
  const input = useRef<HTMLInputElement>(null)
  const opened = useRef(false)
  useEffect(() => {
    if (isOpen && opened.current) input.current?.focus()
    opened.current = false
  }, [isOpen])
  if (!isOpen) {
    return (
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-muted">{t(isSet ? 'forms.secret.set' : 'forms.secret.notSet')}</span>
        {!readOnly && (
          <Button
            id={wiring.id}
            size="sm"
            aria-describedby={wiring['aria-describedby']}
            onClick={() => {
              opened.current = true
              onEdit(setData(definition, ''))
            }}
          >
            {t(isSet ? 'forms.secret.replace' : 'forms.secret.setValue')}
          </Button>
        )}
      </div>
    )
  }
  return (
    <div className="flex gap-2">
      <SecretInput
        {...wiring}
        ref={input}
        value={typed}
        placeholder={t('forms.secret.new')}
        onChange={(event) => onEdit(setData(definition, event.target.value))}
      />
      <Button onClick={onReset}>{t('forms.secret.leave')}</Button>
    </div>
  )
}
