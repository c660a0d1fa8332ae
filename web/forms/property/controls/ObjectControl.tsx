import { useState } from 'react'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { useText } from '../../../i18n/use-text.ts'
import { schemaOf } from '../control-kind.ts'
import { dataValue, editWith, type Parts } from '../property-edit.ts'
import { entriesIn, mapOf, memberOf, shownHeld, withMember } from '../held-value.ts'
import { fitsControl, pointersInside, problemPointers } from '../inner-value.ts'
import { ANY, constantsOf, entriesOf, membersOf, offersEntries, type Member } from '../schema-parts.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, nameOf, type ControlProps } from './control-props.ts'
import { MapRows } from './MapControl.tsx'
import { MemberRow } from './MemberRow.tsx'
import { TextButton } from './TextButton.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'
import { useIsOpening } from '../../../ui/opening.ts'
import { useJsonMode } from './use-json-mode.ts'

const NOTHING: readonly string[] = []

/** An object as a form of its members, and of the keys that its schema does not name. */
export function ObjectControl(props: ControlProps) {
  const { definition, value, saved, unfinished, parts, onEdit, wiring, readOnly, problems } = props
  const t = useText()
  const schema = schemaOf(definition)
  const data = dataValue(value)
  const { isJson, toJson, toForm } = useJsonMode(unfinished === null && fitsControl(schema, data), data)
  const [first] = useState(value)
  const members = membersOf(schema) ?? []
  const object = isJsonObject(data) ? data : {}
  const isOpening = useIsOpening()
  // the first check judges each pattern of the schema, which takes as long as rendering the form
  const found = problems ?? (isOpening ? NOTHING : problemPointers(schema, data))
  const shown = useShownMembers(members, object, found)
  if (isJson) return <AsJson {...props} onForm={toForm} />

  const before = saved === undefined ? first : saved
  const savedObject = before === null ? {} : dataValue(before)
  const constants = constantsOf(members)
  const edit = (whole: { value: JsonObject; parts: Parts }, isRemoval = false) => {
    const names = Object.keys(whole.value).filter((name) => !Object.hasOwn(constants, name))
    // an object that was not set before does not remain because something in it was tried
    const isUntouched = isRemoval && before === null && definition.required !== true && names.length === 0
    if (isUntouched && Object.keys(whole.parts).length === 0) onEdit({ kind: 'removed' })
    else onEdit(editWith(definition, { ...constants, ...whole.value }, whole.parts))
  }
  const names = members.map(({ name }) => name)
  const isNamed = (name: string) => names.includes(name)
  const others = entriesIn(object, parts).filter(({ name }) => !isNamed(name))
  const canAdd = offersEntries(schema)
  return (
    <div {...groupProps(wiring)} className="@container rounded-md">
      <div
        className={
          problems === undefined ? 'rounded-md border border-line px-3 py-2.5' : 'border-l border-line pl-3'
        }
      >
        <div className="space-y-3">
          {shown.members.map((member) => (
            <MemberRow
              key={member.name}
              {...props}
              member={member}
              held={memberOf(object, parts, member.name)}
              before={
                isJsonObject(savedObject) ? shownHeld(memberOf(savedObject, {}, member.name)).value : null
              }
              isBeforeKnown={saved !== undefined}
              problems={pointersInside(found, member.name)}
              onChange={(next) =>
                edit(withMember(object, parts, member.name, next), next.value === undefined)
              }
            />
          ))}
          {shown.hidden > 0 && (
            <TextButton
              of={nameOf(wiring)}
              {...focusHome(`${wiring.id}.${shown.next}`, `${wiring.id}.${shown.next}-fold`)}
              onClick={shown.showAll}
            >
              {t('forms.object.showAll', { n: shown.hidden })}
            </TextButton>
          )}
          {(canAdd || others.length > 0) && (
            <div className="border-t border-line pt-2.5">
              <MapRows
                {...props}
                entries={others}
                values={entriesOf(schema) ?? ANY}
                reserved={names}
                canAdd={canAdd}
                onChange={(next) => {
                  const map = mapOf(next)
                  const kept = Object.entries(object).filter(([name]) => isNamed(name))
                  const keptParts = names.flatMap((name) =>
                    Object.entries(withMember({}, {}, name, memberOf(object, parts, name)).parts),
                  )
                  edit({
                    value: { ...Object.fromEntries(kept), ...map.value },
                    parts: { ...Object.fromEntries(keptParts), ...map.parts },
                  })
                }}
                problems={found}
              />
            </div>
          )}
        </div>
      </div>
      {problems === undefined && !readOnly && (
        <TextButton of={nameOf(wiring)} onClick={toJson} className="mt-1">
          {t('forms.json.edit')}
        </TextButton>
      )}
    </div>
  )
}

/** An object with more members shows first those that matter: the first ones, and all that are required or set. */
const MANY = 12
const SHOWN_FIRST = 6

/** The members to show. One that was shown stays, also after its value was removed. */
function useShownMembers(members: readonly Member[], object: JsonObject, problems: readonly string[]) {
  const [isAll, setIsAll] = useState(members.length <= MANY)
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set())
  const visible = members.filter(
    ({ schema, name }) =>
      schema['const'] === undefined || (Object.hasOwn(object, name) && object[name] !== schema['const']),
  )
  const matters = ({ name, isRequired }: Member, index: number) =>
    index < SHOWN_FIRST ||
    isRequired ||
    Object.hasOwn(object, name) ||
    known.has(name) ||
    pointersInside(problems, name).length > 0
  const shown = isAll ? visible : visible.filter(matters)
  if (!isAll && shown.some(({ name }) => !known.has(name)))
    setKnown(new Set([...known, ...shown.map(({ name }) => name)]))
  return {
    members: shown,
    hidden: visible.length - shown.length,
    /** The first one that is hidden. */
    next: visible.find((member) => !shown.includes(member))?.name ?? '',
    showAll: () => setIsAll(true),
  }
}
