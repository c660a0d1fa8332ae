import { memo, useEffect, useRef, useState } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { editProblem } from '../marks.ts'
import { controlKind } from '../../../forms/control-kind.ts'
import type { ControlProps } from '../../../forms/control-props.ts'
import { limitsText } from '../../../forms/limits-text.ts'
import { problemWords } from '../../../forms/problem-words.ts'
import { PropertyControl } from '../../../forms/PropertyControl.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/icons/Icon.tsx'
import { PropertyValueView } from '../../../ui/values/ValueView.tsx'
import type { DraftEdit } from '../draft/draft.ts'
import { useActive, useEdit, useRemark } from '../draft/drafts.ts'
import { useEditor } from '../editor-context.ts'
import { propertyHelp, propertyTitle } from '../labels.ts'
import { isSet, valueOf, viewOf } from '../view.ts'
import { afterPress } from './after-press.ts'
import { fieldId, rowId } from './field-id.ts'
import { FieldNotes } from './FieldNotes.tsx'
import { useFieldEdit } from './use-field-edit.ts'
import type { PropertyFieldProps } from './property-field-props.ts'

/** One property: what it is at the left, its control at the right, and under it what is to be known of its value. */
export const PropertyField = memo(function PropertyField(props: PropertyFieldProps) {
  const { locator, property, kind, definition, view, writtenBy, isLocked } = props
  const t = useText()
  const { store, mayWrite, isSaving, openHistory } = useEditor()
  const edit = useEdit(store, locator, property)
  const active = useActive(store, locator, property)
  const remark = useRemark(store, locator, property)
  const problem =
    edit === undefined
      ? null
      : (editProblem(definition, edit, t) ?? (remark === undefined ? null : problemWords(remark, t)))
  const limits = limitsText(definition, t)
  const title = propertyTitle(definition, property)
  const help = propertyHelp(definition)
  const id = fieldId(property)
  const described = [
    problem !== null && `${id}-error`,
    help !== '' && `${id}-help`,
    limits !== '' && `${id}-limits`,
  ]
  const isPlain = writtenBy !== undefined || !mayWrite
  // an edit that has begun continues as a draft: see docs/decisions/0017-drafts-outlive-locks-and-sign-outs.md
  const isOpen = !isSaving && (!isLocked || edit !== undefined || active !== undefined)
  const [hasFocus, setHasFocus] = useState(false)
  const [isMissed, setIsMissed] = useState(false)
  const row = useRef<HTMLDivElement>(null)
  const leave = () => {
    const isIn = document.hasFocus() && row.current?.contains(document.activeElement) === true
    if (!isIn) store.leave({ locator, property })
  }
  useEffect(() => {
    // a control that is removed while it has the focus gets no blur event
    if (active !== undefined) afterPress(leave)
  })
  // without an edit a field shows the saved value, or the value that the typing is based on
  const shown = active?.began ? active.began.base : view

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- only observes the events of its control
    <div
      id={rowId(property)}
      ref={row}
      onFocus={() => {
        setHasFocus(true)
        if (isOpen) store.enter({ locator, property })
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (currentTarget.contains(relatedTarget)) return
        setHasFocus(false)
        setIsMissed(false)
        afterPress(leave)
      }}
      onKeyDown={({ key, ctrlKey, metaKey }) => {
        const isTyped = (key.length === 1 || key === 'Backspace' || key === 'Delete') && !ctrlKey && !metaKey
        if (isTyped) setIsMissed(!isOpen)
      }}
      className="group relative grid scroll-my-24 gap-x-8 gap-y-2 border-t border-line py-4 first:border-t-0 @min-[42rem]/form:grid-cols-[16rem_minmax(0,1fr)]"
    >
      {edit !== undefined && (
        <span aria-hidden="true" className="absolute inset-y-3 -left-3 w-0.5 rounded-full bg-accent" />
      )}
      <div className="flex min-w-0 items-start justify-between gap-2">
        <div className="min-w-0">
          <p className="flex flex-wrap items-baseline gap-x-2">
            <label
              id={`${id}-label`}
              htmlFor={isPlain ? undefined : id}
              className="font-medium wrap-anywhere"
            >
              {title}
            </label>
            {definition.required === true && (
              <span className="text-xs text-faint">{t('common.required')}</span>
            )}
          </p>
          {title !== property && <p className="mono text-faint wrap-anywhere">{property}</p>}
          {help !== '' && (
            <p id={`${id}-help`} className="mt-1 max-w-[56ch] text-xs text-muted wrap-anywhere">
              {help}
            </p>
          )}
        </div>
        <span className="shrink-0">
          <Button
            variant="quiet"
            size="sm"
            icon="clock"
            label={t('configuration.field.history', { property: title })}
            className="-mt-0.5 opacity-60 hover:opacity-100 focus-visible:opacity-100"
            onClick={() => openHistory(locator, property)}
          />
        </span>
      </div>
      <div className="max-w-[38rem] min-w-0">
        {isPlain ? (
          <ReadOnlyValue view={view} plugin={writtenBy} />
        ) : (
          <div className={widthOf(definition, kind)}>
            <EditableValue
              {...props}
              shown={shown}
              edit={edit}
              id={id}
              describedBy={described}
              isInvalid={problem !== null}
              isReadOnly={!isOpen}
            />
          </div>
        )}
        {problem !== null && (
          <p id={`${id}-error`} className="mt-1.5 flex gap-1.5 text-xs text-fail">
            <Icon name="failed" size={12} className="mt-0.5" />
            <span className="min-w-0 wrap-anywhere">{problem}</span>
          </p>
        )}
        {!isPlain && (
          <>
            {isLocked || isSaving
              ? (hasFocus || edit !== undefined) && (
                  <LockLine is={isSaving ? 'saving' : isOpen ? 'draft' : 'readOnly'} />
                )
              : isMissed && <LockLine is="missed" />}
            <FieldNotes
              {...props}
              shown={shown}
              edit={edit}
              isOpen={isOpen}
              limits={limits}
              limitsId={`${id}-limits`}
            />
          </>
        )}
      </div>
    </div>
  )
})

const WIDTHS = { narrow: 'max-w-56', middle: 'max-w-80', wide: '' }

/** A control as wide as what goes into it. */
function widthOf(definition: PropertyDefinition, kind: ResourceKind): string {
  switch (controlKind(definition, kind)) {
    case 'number':
      return WIDTHS.narrow
    case 'choice':
      return WIDTHS.middle
    default:
      return WIDTHS.wide
  }
}

function EditableValue({
  locator,
  property,
  kind,
  definition,
  view,
  shown,
  zone,
  edit,
  id,
  describedBy,
  isInvalid,
  isReadOnly,
}: PropertyFieldProps & {
  shown: PropertyView | null
  edit: DraftEdit | undefined
  id: string
  describedBy: (string | false)[]
  isInvalid: boolean
  isReadOnly: boolean
}) {
  const { configuration } = useEditor()
  const { onEdit, onReset } = useFieldEdit({ locator, property, definition, view })
  const current = edit?.edit
  const wiring: ControlProps['wiring'] = {
    id,
    'aria-labelledby': `${id}-label`,
    'aria-describedby': describedBy.filter(Boolean).join(' ') || undefined,
    'aria-invalid': isInvalid ? true : undefined,
    'aria-required': definition.required === true ? true : undefined,
  }
  return (
    <PropertyControl
      resourceKind={kind}
      definition={definition}
      value={current === undefined ? valueOf(shown) : current.kind === 'set' ? current.value : null}
      unfinished={current?.kind === 'unfinished' ? current.text : null}
      isSet={isSet(current === undefined ? shown : viewOf(current, edit?.isSensitive === true))}
      onEdit={onEdit}
      onReset={onReset}
      wiring={wiring}
      readOnly={isReadOnly}
      scope={configuration.scope}
      zone={zone}
    />
  )
}

/** Says what happens to input while an operation or a save locks the form, and what happened to it before. */
function LockLine({ is }: { is: 'draft' | 'readOnly' | 'saving' | 'missed' }) {
  const t = useText()
  return (
    <p role="status" className="mt-1.5 flex gap-1.5 text-xs text-muted">
      <Icon name="lock" size={12} className="mt-0.5" />
      <span className="min-w-0">{t(`configuration.field.locked.${is}`)}</span>
    </p>
  )
}

function ReadOnlyValue({ view, plugin }: { view: PropertyView | null; plugin: string | undefined }) {
  const t = useText()
  return (
    <>
      <div className="min-h-8 rounded-md border border-line bg-sunken px-2.5 py-1.5 wrap-anywhere">
        <PropertyValueView value={view} />
      </div>
      {plugin !== undefined && (
        <p className="mt-1.5 flex items-center gap-1.5 text-xs text-muted">
          <Icon name="plugins" size={12} />
          {t('configuration.field.writtenBy', { plugin })}
        </p>
      )}
    </>
  )
}
