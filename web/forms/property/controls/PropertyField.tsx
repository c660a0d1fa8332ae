import { memo, type ComponentProps, type ReactNode } from 'react'
import type { PropertyView } from '#contract/console-api/shapes.ts'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { propertyHelp, propertyTitle, limitsText } from '../property-labels.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/class-names.ts'
import { FieldErrorText } from '../../../ui/Field.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'
import { useIsPrinting } from '../../../ui/printing.ts'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { controlKind, controlTraits, schemaOf } from '../control-kind.ts'
import { emptyOf } from './member-look.ts'
import { EmptyText } from './empty-text.ts'
import { PropertyControl } from './PropertyControl.tsx'
import { dataValue, setData, shownOf, type Edit } from '../property-edit.ts'
import { valueOf, viewOf } from '../property-value.ts'

export interface PropertyFieldProps {
  /** The id of the control, unique on the page. */
  id: string
  property: string
  /** Instead of the title of the property, in a form whose fields differ by something else. */
  label?: string | undefined
  definition: PropertyDefinition
  resourceKind: ResourceKind
  /** The person's edit of the property; null if there is none. */
  edit: Edit | null
  /** The value without the edit. */
  view: PropertyView | null
  /** Whether there is a value without the edit, which a hidden `view` may not show; null if that is not known. */
  isSet: boolean | null
  onEdit: (edit: Edit) => void
  /** Discards the edit. */
  onReset: () => void
  error: string | null
  /** Whether the person must enter a value. */
  isRequired: boolean
  readOnly: boolean
  /** References may use the services of this scope. */
  scope: Scope
  /** The time zone of a schedule, if the resource names one. */
  zone?: string | undefined
  /** Whether the field is in no form, so that its control can be one. */
  isAlone?: boolean
  /** Shows the change bar at the side. */
  isMarked?: boolean
  /** Beside the title: how an upgrade changes the property. */
  mark?: ReactNode
  /** At the end of the title column: a button for the history. */
  action?: ReactNode
  /** Replaces the control when the person cannot edit the property. */
  plainValue?: ReactNode
  /** In the line below the control, after the limits: the origin of the value, small buttons. */
  hints?: ReactNode
  /** In that line, before the hints, and cut where there is no room: what the value was before the edit. */
  status?: ReactNode
  /** Below that line: the previous value, changes by others. */
  notes?: ReactNode
  /** Props of the whole row: an id, focus and blur handlers. */
  rowProps?: Omit<ComponentProps<'div'>, 'className' | 'children'> & { 'data-property'?: string }
}

/** One property: its title and help at the left, its control at the right, and notes below the control. */
export const PropertyField = memo(function PropertyField({
  id,
  property,
  label,
  definition,
  resourceKind,
  edit,
  view,
  isSet,
  onEdit,
  onReset,
  error,
  isRequired,
  readOnly,
  scope,
  zone,
  isAlone = false,
  isMarked = false,
  mark,
  action,
  plainValue,
  hints,
  status,
  notes,
  rowProps,
}: PropertyFieldProps) {
  const t = useText()
  const isPrinting = useIsPrinting()
  const title = label ?? propertyTitle(definition, property)
  const help = label === undefined ? propertyHelp(definition) : ''
  const isPlain = plainValue !== undefined
  const limits = isPlain ? '' : limitsText(definition, t)
  const traits = controlTraits(controlKind(definition, resourceKind))
  const Place = isAlone && traits.isOneField ? OneFieldForm : 'div'
  const shown = shownOf(edit, valueOf(view))
  const isShownSet = edit === null ? isSet : edit.kind !== 'removed'
  const isOptional = !isRequired && definition.required !== true
  const isText = !isPlain && traits.isText && definition.isSensitive !== true
  // a text that was not set does not become an empty one because something was tried in it; a secret begins as an empty one
  const onControlEdit = (next: Edit) =>
    onEdit(isText && isSet === false && isOptional && isEmptyText(next) ? REMOVED : next)
  const isEmpty = isText && dataValue(shown.value) === ''
  const canBeEmpty = isText && isShownSet !== true && !readOnly && emptyOf(schemaOf(definition)) !== null
  const isSecretSet = definition.isSensitive === true && isSet === true
  const describedBy = [
    error !== null && `${id}-error`,
    isEmpty && `${id}-state`,
    help !== '' && `${id}-help`,
    limits !== '' && `${id}-limits`,
  ].filter(Boolean)
  return (
    <div
      {...rowProps}
      {...focusHome(id)}
      role="group"
      aria-labelledby={`${id}-label`}
      data-invalid={error === null ? undefined : id}
      className="group relative grid scroll-my-24 gap-x-8 gap-y-2 pt-3 pb-7 @min-[42rem]/form:grid-cols-[minmax(11rem,16rem)_minmax(0,1fr)] @min-[42rem]/form:pt-1 @min-[42rem]/form:pb-px"
    >
      {isMarked && (
        <span
          aria-hidden="true"
          className="absolute inset-y-3 -left-3 w-0.5 rounded-full bg-accent forced-colors:border-l-2"
        />
      )}
      <TitleColumn
        id={id}
        property={property}
        title={title}
        help={help}
        isPlain={isPlain}
        isRequired={isRequired || definition.required === true}
        mark={mark}
        action={action}
      />
      <div className="max-w-[38rem] min-w-0">
        {plainValue ?? (
          <Place className={cx('print:hidden', traits.width)}>
            <EmptyText
              value={shown.value === null && isShownSet !== false ? 'forms.notShown' : 'forms.notSet'}
            >
              <PropertyControl
                resourceKind={resourceKind}
                definition={definition}
                {...shown}
                saved={valueOf(view)}
                isSet={isShownSet}
                onEdit={onControlEdit}
                onReset={onReset}
                wiring={{
                  id,
                  'aria-labelledby': `${id}-label`,
                  'aria-describedby': describedBy.join(' ') || undefined,
                  'aria-invalid': error === null ? undefined : true,
                  'aria-required': isRequired ? true : undefined,
                  ...(isShownSet === false && traits.hasPlaceholder && { placeholder: t('forms.notSet') }),
                }}
                readOnly={readOnly}
                scope={scope}
                zone={zone}
              />
            </EmptyText>
          </Place>
        )}
        {/* a control shows only the part of a value that fits */}
        {isPrinting && !isPlain && (
          <div className="hidden print:block">
            <PropertyValueView value={edit === null ? view : viewOf(edit, definition.isSensitive === true)} />
          </div>
        )}
        {error !== null && <FieldErrorText id={`${id}-error`}>{error}</FieldErrorText>}
        {/* lies in the row's lower padding, so that the rows below keep their place when something appears here */}
        <div
          className={cx(
            '-mb-6 flex flex-wrap items-center gap-x-3 text-xs text-faint @min-[42rem]/form:mt-0.5 @min-[42rem]/form:mb-0 @min-[42rem]/form:min-h-4 @min-[42rem]/form:gap-y-2 @min-[42rem]/form:[&_button]:-my-1.5',
            // two lines, also while a lock hides the buttons
            isSecretSet && Boolean(status) ? 'min-h-12' : 'min-h-6',
          )}
        >
          {limits !== '' && <span id={`${id}-limits`}>{limits}</span>}
          {isEmpty && (
            <span id={`${id}-state`} className="italic">
              {t('common.value.emptyText')}
            </span>
          )}
          <Status isMarked={isMarked} isSecret={isSecretSet}>
            {status}
          </Status>
          {canBeEmpty && (
            <Button
              variant="quiet"
              size="sm"
              icon="plus"
              // among many properties, it shows only where the person is
              className="group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:hover)]:opacity-0"
              label={t('forms.member.emptyText', { title })}
              onClick={() => onEdit(setData(definition, ''))}
            />
          )}
          {hints}
          {label === undefined && title !== property && <Name isMarked={isMarked}>{property}</Name>}
        </div>
        {Boolean(notes) && (
          <div className="mt-6 -mb-2 empty:hidden @min-[42rem]/form:mt-1 @min-[42rem]/form:mb-2">{notes}</div>
        )}
      </div>
    </div>
  )
})

/**
 * To complete what is typed, Chromium reads all fields of its form twice at each key press. It takes those that are in no
 * form for one. Outside a dialog, a form of this method sends nothing.
 */
const OneFieldForm = (props: ComponentProps<'form'>) => <form method="dialog" noValidate {...props} />

/** The title, the help and the action. */
function TitleColumn({
  id,
  property,
  title,
  help,
  isPlain,
  isRequired,
  mark,
  action,
}: Pick<PropertyFieldProps, 'id' | 'property' | 'isRequired' | 'mark' | 'action'> & {
  title: string
  help: string
  isPlain: boolean
}) {
  const t = useText()
  return (
    <div className="flex min-w-0 items-start justify-between gap-2 @min-[42rem]/form:py-1.5">
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <label
            id={`${id}-label`}
            title={property}
            htmlFor={isPlain ? undefined : id}
            className="font-medium wrap-anywhere"
          >
            {title}
          </label>
          {isRequired && <span className="text-xs text-faint">{t('common.required')}</span>}
          {mark}
        </p>
        {help !== '' && (
          <p
            id={`${id}-help`}
            className="mt-1 max-w-[56ch] text-xs text-muted wrap-anywhere @min-[42rem]/form:mt-0"
          >
            {help}
          </p>
        )}
      </div>
      {action}
    </div>
  )
}

function Status({
  isMarked,
  isSecret,
  children,
}: {
  isMarked: boolean
  isSecret: boolean
  children: ReactNode
}) {
  if (!children) return null
  return (
    <span
      className={cx(
        'flex min-w-0 items-center gap-x-2 empty:hidden',
        // what others do, and time, change the text, which must not change the number of lines
        isMarked
          ? 'grow basis-48'
          : isSecret
            ? // in a narrow form, the age would be cut beside the buttons
              'order-first grow-[4] basis-full @min-[42rem]/form:order-none @min-[42rem]/form:basis-0'
            : 'grow-[4] basis-0',
      )}
    >
      {children}
    </span>
  )
}

/** The name of a property beside its title. */
function Name({ isMarked, children }: { isMarked: boolean; children: string }) {
  return (
    <span
      className={cx(
        'mono text-right',
        isMarked
          ? 'sr-only'
          : // without a mouse it is always there, on a line of its own where there is no room
            'min-w-0 grow basis-0 truncate opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:basis-24 [@media(hover:none)]:opacity-100',
      )}
    >
      {children}
    </span>
  )
}

const REMOVED: Edit = { kind: 'removed' }

const isEmptyText = (edit: Edit): boolean => edit.kind === 'set' && dataValue(edit.value) === ''
