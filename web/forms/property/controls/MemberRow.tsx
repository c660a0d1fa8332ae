import { useState, type ReactNode } from 'react'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { FieldErrorText } from '../../../ui/Field.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { controlTraits, innerKind, type ControlKind } from '../control-kind.ts'
import type { Edit } from '../property-edit.ts'
import { partError } from '../edit-error.ts'
import { heldAfterEdit, held as holding, shownHeld, type Held } from '../held-value.ts'
import type { Member } from '../schema-parts.ts'
import type { ControlProps } from './control-props.ts'
import { useEmptyText } from './empty-text.ts'
import { emptyOf, isShort, isWide, summaryOf } from './member-look.ts'

/**
 * One member of an object: its title, its control, and a button that makes it "not set" again, or sets it to what is
 * empty, which is another thing. Members that take much room can be folded.
 */
export function MemberRow({
  member: { name, title, help, schema, isRequired },
  held,
  before,
  isBeforeKnown,
  problems,
  onChange,
  wiring,
  readOnly,
  scope,
  Inner,
}: Pick<ControlProps, 'wiring' | 'readOnly' | 'scope' | 'Inner'> & {
  member: Member
  held: Held
  /** Its value before the person edited the object. */
  before: TypedValue | null
  /** Whether that is the saved value, and not just the one that was there when the form opened. */
  isBeforeKnown: boolean
  problems: readonly string[]
  onChange: (next: Held) => void
}) {
  const t = useText()
  const notSet = useEmptyText()
  const id = `${wiring.id}.${name}`
  const kind = innerKind(schema)
  const traits = controlTraits(kind)
  const { value, parts } = held
  const own = parts['']
  const isSet = value !== undefined || own !== undefined
  const isInvalid = problems.length > 0 || own !== undefined
  const edit = (next: Edit) => {
    const after = heldAfterEdit(held, next)
    const isTried = before === null && !isRequired && traits.isText && after.value === ''
    onChange(isTried ? holding(undefined) : after)
  }
  const set = (next: JsonValue | undefined) => {
    onChange(holding(next))
    // the button may be gone
    ;(document.getElementById(id) ?? document.getElementById(`${id}-fold`))?.focus()
  }
  const state = own === undefined ? stateOf(value, kind, t) : null
  const describedBy = [
    help !== '' && `${id}-help`,
    state !== null && `${id}-state`,
    own !== undefined && `${id}-error`,
    problems.length > 0 && `${wiring.id}-error`,
  ].filter(Boolean)
  const control = (
    <Inner
      definition={{ kind: 'DATA', schema, required: isRequired }}
      {...shownHeld(held)}
      saved={isBeforeKnown ? before : undefined}
      isSet={isSet}
      problems={problems}
      onEdit={edit}
      onReset={() => undefined}
      wiring={{
        id,
        'aria-labelledby': `${id}-label`,
        'aria-describedby': describedBy.join(' ') || undefined,
        'aria-invalid': isInvalid ? true : undefined,
        'aria-required': isRequired ? true : undefined,
        ...(!isSet && traits.hasPlaceholder && { placeholder: notSet }),
      }}
      readOnly={readOnly}
      scope={scope}
    />
  )
  const notes = (
    <>
      {state !== null && (
        <p id={`${id}-state`} className="text-xs text-faint italic">
          {state}
        </p>
      )}
      {own !== undefined && <FieldErrorText id={`${id}-error`}>{partError(own, t)}</FieldErrorText>}
    </>
  )
  const action = !readOnly && (
    <MemberAction title={title} isSet={isSet} isRequired={isRequired} empty={emptyOf(schema)} onSet={set} />
  )
  const shown = { id, title, help, isRequired, control, notes, action }
  return isWide(schema) ? (
    <WideMember
      {...shown}
      canFold={kind !== 'json'}
      isOpenFirst={isShort(schema, value)}
      mustShow={isInvalid || Object.keys(parts).length > 0}
      summary={value === undefined ? notSet : summaryOf(value, t)}
    />
  ) : (
    <NarrowMember {...shown} />
  )
}

interface ShownMember {
  id: string
  title: string
  help: string
  isRequired: boolean
  control: ReactNode
  notes: ReactNode
  action: ReactNode
}

/** The control below the title, which can fold it. */
function WideMember({
  canFold,
  isOpenFirst,
  mustShow,
  summary,
  ...shown
}: ShownMember & {
  canFold: boolean
  /** Whether it is unfolded when it appears. */
  isOpenFirst: boolean
  /** Whether it has what the person must see, so that only they fold it. */
  mustShow: boolean
  summary: string
}) {
  const { id, title, control, notes, action } = shown
  const [choice, setChoice] = useState<boolean | null>(null)
  const [wasShort] = useState(isOpenFirst)
  const isOpen = !canFold || (choice ?? (wasShort || mustShow))
  return (
    <div className="group/member min-w-0 space-y-1">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center">
            {canFold ? (
              <FoldButton
                id={`${id}-fold`}
                isOpen={isOpen}
                onToggle={() => setChoice(!isOpen)}
                summary={isOpen ? null : summary}
              >
                <span id={`${id}-label`}>{title}</span>
              </FoldButton>
            ) : (
              <MemberLabel {...shown} />
            )}
            <RequiredMark {...shown} />
          </div>
          <MemberHelp {...shown} />
        </div>
        <div className="w-6.5 shrink-0">{action}</div>
      </div>
      {isOpen && <div className={canFold ? 'pl-1.5' : undefined}>{control}</div>}
      {notes}
    </div>
  )
}

/** The control beside the title, where a form within a form leaves enough room; below it otherwise. */
function NarrowMember(shown: ShownMember) {
  return (
    <div className="group/member grid min-w-0 grid-cols-[minmax(0,1fr)_1.625rem] gap-x-2 gap-y-1 @md:grid-cols-[10rem_minmax(0,1fr)_1.625rem] @md:gap-x-3">
      <div className="col-start-1 row-start-1 min-w-0 @md:pt-1">
        <MemberLabel {...shown} />
        <RequiredMark {...shown} />
        <MemberHelp {...shown} />
      </div>
      <div className="col-span-2 col-start-1 row-start-2 min-w-0 @md:col-span-1 @md:col-start-2 @md:row-start-1">
        {shown.control}
        {shown.notes}
      </div>
      <div className="col-start-2 row-start-1 @md:col-start-3 @md:pt-0.5">{shown.action}</div>
    </div>
  )
}

const MemberLabel = ({ id, title }: ShownMember) => (
  <label id={`${id}-label`} htmlFor={id} className="wrap-anywhere">
    {title}
  </label>
)

function RequiredMark({ isRequired }: ShownMember) {
  const t = useText()
  return isRequired && <span className="ml-1.5 text-xs text-faint">{t('common.required')}</span>
}

const MemberHelp = ({ id, help }: ShownMember) =>
  help !== '' && (
    <p id={`${id}-help`} className="text-xs text-muted wrap-anywhere">
      {help}
    </p>
  )

/** The button that makes a member "not set" again, or sets it to what is empty. */
function MemberAction({
  title,
  isSet,
  isRequired,
  empty,
  onSet,
}: {
  title: string
  isSet: boolean
  isRequired: boolean
  empty: ReturnType<typeof emptyOf>
  onSet: (value: JsonValue | undefined) => void
}) {
  const t = useText()
  if (isSet)
    return isRequired ? null : (
      <Button
        variant="quiet"
        size="sm"
        icon="close"
        label={t('forms.member.remove', { title })}
        onClick={() => onSet(undefined)}
      />
    )
  return empty === null ? null : (
    <Button
      variant="quiet"
      size="sm"
      icon="plus"
      // in a long form, it shows only where the person is
      className="opacity-0 group-focus-within/member:opacity-100 group-hover/member:opacity-100"
      label={t(empty.label, { title })}
      onClick={() => onSet(empty.value)}
    />
  )
}

/** Of what is empty but set; a list and a map say so themselves. */
function stateOf(value: JsonValue | undefined, kind: ControlKind, t: Translate): string | null {
  if (value === '' && controlTraits(kind).isText) return t('common.value.emptyText')
  const isEmptyObject = kind === 'object' && isJsonObject(value) && Object.keys(value).length === 0
  return isEmptyObject ? t('forms.object.empty') : null
}

function FoldButton({
  id,
  isOpen,
  onToggle,
  summary,
  children,
}: {
  id: string
  isOpen: boolean
  onToggle: () => void
  summary: string | null
  children: ReactNode
}) {
  return (
    <button
      type="button"
      id={id}
      aria-expanded={isOpen}
      onClick={onToggle}
      className="-ml-1 inline-flex min-h-6 max-w-full items-start gap-1 rounded-sm py-0.5 text-left wrap-anywhere hover:text-ink"
    >
      <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} className="mt-1 shrink-0 text-muted" />
      <span className="min-w-0">
        {children}
        {summary !== null && <span className="ml-1 text-xs text-faint"> {summary}</span>}
      </span>
    </button>
  )
}
