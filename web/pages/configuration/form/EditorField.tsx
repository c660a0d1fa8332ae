import { memo, useEffect, useRef, useState } from 'react'
import type { ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { isReferenceKind } from '#contract/protocol/property-kinds.ts'
import { PropertyField } from '../../../forms/property/controls/PropertyField.tsx'
import { TextButton } from '../../../forms/property/controls/TextButton.tsx'
import { isSet, sameView } from '../../../forms/property/property-value.ts'
import { StructuredValue } from '../../../forms/property/StructuredValue.tsx'
import { isManagedBy, useManagerText, type Manager } from '../../../subjects/people/use-manager-text.ts'
import { inLowerCase } from '../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { afterMousePress } from '../../../ui/after-press.ts'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Time } from '../../../ui/Time.tsx'
import type { originOf } from '../draft/outline.ts'
import { useActive } from '../draft/use-draft-store.ts'
import { useEditor, controlId, labelId, rowId } from '../editor/editor-context.ts'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import { ReferenceTest } from './ReferenceTest.tsx'
import { EditStatus, FieldHints, hasHints, Lock, NewerValue } from './FieldNotes.tsx'
import type { Merged } from '../draft/merge.ts'
import { useDraftField } from './use-draft-field.ts'

type SetBy = NonNullable<ConfigurationResource['sensitiveSet']>[string]

export interface EditorFieldProps {
  locator: string
  property: string
  kind: ResourceKind
  definition: PropertyDefinition
  /** The saved value. */
  view: PropertyView | null
  writtenBy: string | undefined
  managedBy: Manager | undefined
  /** Of a sensitive value that is set: when, and by whom. */
  setBy: SetBy | undefined
  /** Where the saved value comes from. */
  origin: ReturnType<typeof originOf>
  isLocked: boolean
  /** The saved value is not applied yet. */
  isUnapplied: boolean
  zone: string | undefined
}

/** A property's field in the editor, with notes on what others have saved since its edit began. */
export const EditorField = memo(function EditorField({
  locator,
  property,
  kind,
  definition,
  view,
  writtenBy,
  managedBy,
  setBy,
  origin,
  isLocked,
  isUnapplied,
  zone,
}: EditorFieldProps) {
  const { store, configuration, mayWrite, isSaving, mergedAt, openHistory } = useEditor()
  const { draftEdit, error, onEdit, onReset } = useDraftField({ locator, property, definition, view })
  const active = useActive(store, locator, property)
  const isPlain = writtenBy !== undefined || !mayWrite
  // an edit that has begun continues as a draft: see docs/decisions/0017-drafts.md
  const isOpen = !isSaving && (!isLocked || draftEdit !== undefined || active !== undefined)
  const [hasFocus, setHasFocus] = useState(false)
  const [isMissed, setIsMissed] = useState(false)
  const row = useRef<HTMLDivElement>(null)
  const isEntered = () => document.hasFocus() && row.current?.contains(document.activeElement) === true
  const leave = () => {
    if (isEntered()) return
    setHasFocus(false)
    setIsMissed(false)
    store.leave({ locator, property })
  }
  useEffect(() => {
    // a control that is removed while it has the focus gets no blur event
    if (active !== undefined) afterMousePress(leave)
    // the lock ended while the field had the focus
    else if (hasFocus && isOpen && isEntered()) store.enter({ locator, property })
  })
  // without an edit a field shows the saved value, or the value that the typing is based on
  const shown = active?.began ? active.began.base : view
  const parts = { locator, property, definition, view, shown, draftEdit, isOpen, onEdit, onReset }
  const isReadOnly = isLocked || isSaving
  const merged = draftEdit === undefined ? undefined : mergedAt(locator, property)
  const isNewer = draftEdit === undefined && !sameView(shown, view)
  const apply = managedBy !== undefined && isManagedBy(managedBy, 'apply') ? managedBy : undefined

  return (
    <PropertyField
      id={controlId(property)}
      property={property}
      definition={definition}
      resourceKind={kind}
      edit={draftEdit?.edit ?? null}
      view={shown}
      isSet={isSet(shown)}
      onEdit={onEdit}
      onReset={onReset}
      error={error}
      isRequired={definition.required === true}
      readOnly={!isOpen}
      scope={configuration.scope}
      zone={zone}
      isAlone
      isMarked={draftEdit !== undefined}
      mark={(origin === 'here' || origin === 'default') && <OriginMark is={origin} />}
      action={
        <HistoryButton
          locator={locator}
          property={property}
          title={propertyTitle(definition, property)}
          onOpen={openHistory}
        />
      }
      plainValue={isPlain ? <PlainValue view={view} definition={definition} plugin={writtenBy} /> : undefined}
      hints={
        <>
          {apply !== undefined && <ManagedBy manager={apply} />}
          {!isPlain && hasHints(parts) && <FieldHints {...parts} />}
        </>
      }
      status={
        <>
          {isUnapplied && <Unapplied />}
          {setBy !== undefined && draftEdit === undefined && !isUnapplied && !isNewer && (
            <SecretAge {...setBy} />
          )}
          {isPlain
            ? draftEdit !== undefined && <GoneEdit property={property} onReset={onReset} />
            : draftEdit === undefined &&
              isReadOnly &&
              hasFocus && <Lock is={isSaving ? 'saving' : 'readOnly'} />}
          {!isPlain && isMissed && !isReadOnly && <Missed />}
          {!isPlain && isNewer && <NewerValue property={property} view={view} onReset={onReset} />}
          {!isPlain && draftEdit !== undefined && (
            <EditStatus
              property={property}
              isRemoved={draftEdit.edit.kind === 'removed'}
              base={draftEdit.base}
              isOpen={isOpen}
              isLocked={isReadOnly}
              theirs={merged !== undefined && isOtherwise(merged) ? merged : undefined}
              onReset={onReset}
            />
          )}
        </>
      }
      notes={
        <>
          {isReferenceKind(definition.kind) && isSet(view) && (
            <TestReference {...{ locator, property }} isEdited={draftEdit !== undefined} />
          )}
          {!isPlain && apply !== undefined && draftEdit !== undefined && <TakesOver manager={apply} />}
        </>
      }
      rowProps={{
        id: rowId(property),
        'data-property': property,
        ref: row,
        onFocus: () => {
          setHasFocus(true)
          if (isOpen) store.enter({ locator, property })
        },
        onBlur: ({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) afterMousePress(leave)
        },
        onKeyDown: ({ key, ctrlKey, metaKey }) => {
          const isTyped =
            (key.length === 1 || key === 'Backspace' || key === 'Delete') && !ctrlKey && !metaKey
          // React would render the field once more even for the same state, on each key press
          if (isTyped && isMissed === isOpen) setIsMissed(!isOpen)
        },
      }}
    />
  )
})

/** Typing does not render it again. */
const HistoryButton = memo(function HistoryButton({
  locator,
  property,
  title,
  onOpen,
}: {
  locator: string
  property: string
  title: string
  onOpen: (locator: string, property: string) => void
}) {
  const t = useText()
  return (
    <span className="shrink-0">
      <Button
        variant="quiet"
        size="sm"
        icon="clock"
        label={t('configuration.field.history', { property: title })}
        // a form has dozens of them
        className="-mt-0.5 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:hover)]:opacity-0"
        onClick={() => onOpen(locator, property)}
      />
    </span>
  )
})

/** Tests on request whether the reference resolves for the installation. */
function TestReference({
  locator,
  property,
  isEdited,
}: {
  locator: string
  property: string
  isEdited: boolean
}) {
  const t = useText()
  const { configuration } = useEditor()
  const [tests, setTests] = useState(0)
  const bundleInstallId = configuration.resources[locator]?.bundleInstallId
  if (bundleInstallId === undefined) return null
  return (
    <div className="mt-1 text-xs">
      <TextButton of={labelId(property)} onClick={() => setTests(tests + 1)}>
        {t('configuration.field.testReference')}
      </TextButton>
      {tests > 0 && <ReferenceTest key={tests} {...{ bundleInstallId, locator, property, isEdited }} />}
    </div>
  )
}

/** Whether others have changed the value since its edit began. */
const isOtherwise = ({ verdict: { kind } }: Merged): boolean =>
  kind === 'conflict' || kind === 'merged' || kind === 'undone'

/** Earlier input was lost, because the field was locked. */
function Missed() {
  const t = useText()
  return (
    <span role="status" className="flex min-w-0 items-center gap-1 text-muted">
      <Icon name="lock" size={12} className="shrink-0" />
      <span className="min-w-0">{t('configuration.field.locked.missed')}</span>
    </span>
  )
}

/** A plugin writes the property now: the edit can only be discarded. */
function GoneEdit({ property, onReset }: { property: string; onReset: () => void }) {
  const t = useText()
  return (
    <>
      <span className="flex min-w-0 items-center gap-1 text-ink">
        <Icon name="warning" size={12} className="shrink-0 text-doubt" />
        <span className="min-w-0">{t('configuration.conflict.gone.plugin')}</span>
      </span>
      <TextButton of={labelId(property)} onClick={onReset} isAccent>
        {t('configuration.field.reset')}
      </TextButton>
    </>
  )
}

/** Whether the saved value was set here, as a dot, or is the default. */
const OriginMark = memo(function OriginMark({ is }: { is: 'here' | 'default' }) {
  const t = useText()
  const text = t(`configuration.field.origin.${is}`)
  return is === 'default' ? (
    <span className="text-xs text-faint">{inLowerCase(text)}</span>
  ) : (
    <span
      role="img"
      aria-label={text}
      title={text}
      className="size-1.5 self-center rounded-full bg-muted forced-colors:border-3"
    />
  )
})

/** How old a value is that is never shown: who rotates secrets looks for the old ones. */
const SecretAge = memo(function SecretAge({ at, by }: SetBy) {
  const rich = useRichText()
  return (
    <span className="truncate">
      {rich('configuration.field.setBy', { when: <Time at={at} inRow isAge />, person: by.name })}
    </span>
  )
})

/** The value is saved, and the operation that applies it has not succeeded. */
function Unapplied() {
  const t = useText()
  return (
    <span className="flex min-w-0 items-center gap-1 font-medium text-doubt">
      <Icon name="waiting" size={12} className="shrink-0" />
      <span className="truncate">{t('configuration.field.unapplied')}</span>
    </span>
  )
}

/** A declarative apply manages the value. Who manages the others is in their history: most are people's or defaults. */
function ManagedBy({ manager }: { manager: Manager }) {
  const t = useText()
  const managerText = useManagerText()
  return (
    <span className="inline-flex min-w-0 items-center gap-1 text-muted">
      <Icon name="info" size={12} />
      <span className="min-w-0 wrap-anywhere">
        {t('configuration.field.managedBy', { manager: managerText(manager) })}
      </span>
    </span>
  )
}

/** What saving the edit means for the apply that manages the value. */
function TakesOver({ manager }: { manager: Manager }) {
  const t = useText()
  const managerText = useManagerText()
  return (
    <p className="mt-1.5 text-xs text-muted">
      {t('configuration.field.takesOver', { manager: managerText(manager) })}
    </p>
  )
}

/** A value that the person cannot edit. */
function PlainValue({
  view,
  definition,
  plugin,
}: {
  view: PropertyView | null
  definition: PropertyDefinition
  plugin: string | undefined
}) {
  const t = useText()
  return (
    <>
      <div className="min-h-8 rounded-md border border-line bg-sunken px-2.5 py-1.5 wrap-anywhere">
        <StructuredValue value={view} definition={definition} />
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
