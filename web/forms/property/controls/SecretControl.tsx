import { Suspense, useEffect, useRef } from 'react'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { wrapSensitive } from '#contract/protocol/data.ts'
import { LazyJsonEditor } from '../../json/lazy-json-editor.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { schemaOf } from '../control-kind.ts'
import { groupProps, nameOf, type ControlProps } from './control-props.ts'
import { SecretInput } from './SecretInput.tsx'
import { dataValue, setData } from '../property-edit.ts'
import { parseJson } from '../../json/parse-json.ts'
import { withoutNull } from '../schema-parts.ts'
import { translateError } from '../translate-error.ts'

/** A sensitive value: never shown, only replaced or kept. Input is kept in memory only. */
export function SecretControl(props: ControlProps) {
  const { definition, value, unfinished, isSet, onEdit, onReset, wiring, readOnly } = props
  const t = useText()
  const typed = dataValue(value)
  const isOpen = !readOnly && (typed !== undefined || unfinished !== null)
  const schema = schemaOf(definition)
  const isText = (withoutNull(schema) ?? schema)['type'] === 'string'
  const opened = useRef(false)
  useEffect(() => {
    if (isOpen && opened.current) document.getElementById(wiring.id)?.focus()
    opened.current = false
  }, [isOpen, wiring.id])

  if (!isOpen) {
    return (
      <div {...groupProps(wiring)} className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 rounded-md">
        <span className="inline-flex items-center gap-1.5 text-muted">
          <Icon name="lock" size={12} />
          {isSet !== null && t(isSet ? 'forms.secret.set' : 'forms.secret.notSet')}
        </span>
        {!readOnly && (
          <Button
            size="sm"
            of={nameOf(wiring)}
            onClick={() => {
              opened.current = true
              onEdit(isText ? setData(definition, '') : { kind: 'unfinished', text: '' })
            }}
          >
            {t(isSet === true ? 'forms.secret.replace' : 'forms.secret.setValue')}
          </Button>
        )}
      </div>
    )
  }
  if (!isText) {
    return (
      <div className="space-y-1.5">
        <Suspense fallback={<Skeleton className="h-16 w-full" />}>
          <LazyJsonEditor
            wiring={wiring}
            label={t('forms.json.label')}
            text={unfinished ?? JSON.stringify(typed, null, 2)}
            check={(document) =>
              checkTypedValue(definition, wrapSensitive(document)).map((problem) => ({
                ...problem,
                message: translateError(problem, t),
              }))
            }
            readOnly={false}
            onText={(next) => {
              const parsed = parseJson(next)
              onEdit(parsed === undefined ? { kind: 'unfinished', text: next } : setData(definition, parsed))
            }}
          />
        </Suspense>
        <Button size="sm" of={nameOf(wiring)} onClick={onReset}>
          {t('forms.secret.leave')}
        </Button>
      </div>
    )
  }
  return (
    <SecretInput
      wiring={wiring}
      value={typeof typed === 'string' ? typed : ''}
      onText={(text) => onEdit(setData(definition, text))}
    >
      <Button of={nameOf(wiring)} onClick={onReset}>
        {t('forms.secret.leave')}
      </Button>
    </SecretInput>
  )
}
