import { useId, useState } from 'react'
import type { ConfigurationResource } from '#contract/console-api/shapes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Conflict, Side } from '#contract/json-schema/merge-json.ts'
import { shownOf, type Edit } from '../../../forms/property/property-edit.ts'
import { editError } from '../../../forms/property/edit-error.ts'
import { PropertyControl } from '../../../forms/property/controls/PropertyControl.tsx'
import { propertyTitle, resourceTitle, placeNamer } from '../../../forms/property/property-labels.ts'
import { labelled } from '../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Checkbox, Radio } from '../../../ui/Checkbox.tsx'
import { cx } from '../../../ui/class-names.ts'
import { FieldErrorText } from '../../../ui/Field.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { NearList } from '../../../ui/NearList.tsx'
import { Time } from '../../../ui/Time.tsx'
import { PlaceName } from '../../../ui/value/LeafChanges.tsx'
import { plainIn } from '../../../ui/value/plain-value.ts'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { useEditor } from '../editor/editor-context.ts'
import {
  chooseSide,
  chosenEdit,
  isCurrentChoice,
  openPaths,
  type SideChoice,
  type Merged,
  type Picks,
} from '../draft/merge.ts'
import { plainSides, WHOLE } from '../../../subjects/merge/merge-values.ts'
import { isSet, viewOf } from '../../../forms/property/property-value.ts'
import { LeafChoice, WholeChoice } from '../../../subjects/merge/LeafChoice.tsx'
import { MergedChanges } from '../../../subjects/merge/MergedChanges.tsx'
import { SideButtons } from '../../../subjects/merge/SideButtons.tsx'

const NOTHING: Picks = new Map()

/** A property that both sides changed: base, theirs and mine of each leaf in conflict, and the choice between them. */
export function ConflictCard({
  merged,
  choice,
  isOnly,
  onChoose,
}: {
  merged: Merged
  choice: SideChoice | undefined
  /** Whether no other property is to be decided: the buttons for all are those for this one. */
  isOnly: boolean
  onChoose: (choice: SideChoice) => void
}) {
  const t = useText()
  const rich = useRichText()
  const id = useId()
  const { resourceAt, definitionAt } = useEditor()
  const { locator, property, verdict, edit, isSensitive } = merged
  const resource = resourceAt(locator)
  const definition = definitionAt(locator, property)
  const title = propertyTitle(definition, property)
  const chosen = choice !== undefined && isCurrentChoice(choice, merged) ? choice : undefined
  const sides = chosen?.take === 'sides' ? chosen.sides : NOTHING
  const [before, setBefore] = useState<SideChoice>()
  const conflicts = verdict.kind === 'conflict' ? verdict.conflicts : []
  const by = verdict.kind === 'conflict' ? verdict.by : null
  const paths = openPaths(merged)
  const isWhole = conflicts.every(({ path, kind }) => path === WHOLE && kind === 'value')
  const isOther = chosen?.take === 'other'
  const nameOf = placeNamer(definition, t)
  const mine = plainIn(viewOf(edit, isSensitive))
  const placeOf = ({ steps }: Conflict) => nameOf(steps, mine)
  const choose = (side: Side, of: readonly string[]) => onChoose(chooseSide(merged, side, of, chosen))

  return (
    <fieldset aria-labelledby={`${id}-title`} className="min-w-0 rounded-lg border border-line-strong">
      <div className="flex min-h-10 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-4 py-1.5">
        <span id={`${id}-title`} className="font-semibold">
          {verdict.kind === 'gone' ? <del>{title}</del> : title}
        </span>
        <span className="text-muted">{resourceTitle(resource, locator)}</span>
        {by !== null && (
          <span className="text-xs text-muted">
            {rich('configuration.history.who', { person: by.savedBy.name, when: <Time at={by.savedAt} /> })}
          </span>
        )}
        {paths.length > 1 && !isOther && !isOnly && (
          <SideButtons title={title} onChoose={(side) => choose(side, paths)} />
        )}
      </div>
      {verdict.kind === 'gone' && (
        <GoneChoice
          why={verdict.why}
          mine={viewOf(edit, isSensitive)}
          name={`${id}-choice`}
          isLetGo={sides.get(WHOLE) === 'theirs'}
          onLetGo={() => choose('theirs', [WHOLE])}
        />
      )}
      {verdict.kind === 'conflict' && isWhole && (
        <div className="px-4 pt-3 pb-1">
          <WholeChoice
            merged={merged}
            name={`${id}-choice`}
            chosen={sides.get(WHOLE)}
            onChoose={(side) => choose(side, [WHOLE])}
          />
        </div>
      )}
      {!isWhole && !isOther && (
        <div className="space-y-2 px-4 py-3">
          <NearList
            items={conflicts}
            keyOf={({ kind, path }) => `${kind} ${path}`}
            full={(conflict) => (
              <LeafChoice
                conflict={conflict}
                place={placeOf(conflict)}
                chosen={sides.get(conflict.path)}
                onChoose={(side) => choose(side, [conflict.path])}
              />
            )}
            brief={(conflict, ref) => (
              <p ref={ref} className="h-38 sm:h-9">
                <PlaceName name={placeOf(conflict)} />
              </p>
            )}
          />
        </div>
      )}
      {verdict.kind === 'conflict' && !isWhole && !isOther && (
        <MergedChanges
          sides={plainSides(merged)}
          conflicts={conflicts}
          person={by?.savedBy.name ?? null}
          nameOf={nameOf}
          title={t('configuration.conflict.joined')}
          className="border-t border-line px-4 py-2.5"
        />
      )}
      {verdict.kind === 'conflict' && definition !== undefined && resource !== undefined && (
        <ThirdValue
          merged={merged}
          resource={resource}
          definition={definition}
          start={isWhole ? edit : (chosenEdit(merged, chosen) ?? edit)}
          group={isWhole ? `${id}-choice` : null}
          id={`${id}-other`}
          chosen={isOther ? chosen.edit : undefined}
          isDecided={chosen !== undefined}
          onChoose={(other) => {
            if (!isOther) setBefore(chosen)
            onChoose({ of: merged, take: 'other', edit: other })
          }}
          onLeave={() => onChoose(before ?? chooseSide(merged, 'mine', []))}
        />
      )}
    </fieldset>
  )
}

/** Of a property that people can no longer set there: the edit can only be let go. */
function GoneChoice({
  why,
  mine,
  name,
  isLetGo,
  onLetGo,
}: {
  why: Extract<Merged['verdict'], { kind: 'gone' }>['why']
  mine: ReturnType<typeof viewOf>
  name: string
  isLetGo: boolean
  onLetGo: () => void
}) {
  const t = useText()
  return (
    <div className="space-y-2 px-4 py-3">
      <p className="flex items-center gap-2">
        <Icon name="warning" size={14} className="text-doubt" />
        {t(`configuration.conflict.gone.${why}`)}
      </p>
      <p className="text-muted">
        {labelled(t, t('configuration.conflict.yours'), '')}
        <PropertyValueView value={mine} />
      </p>
      <Radio name={name} checked={isLetGo} onChange={onLetGo}>
        <span className="font-medium">{t('configuration.conflict.letGo')}</span>
      </Radio>
    </div>
  )
}

function ThirdValue({
  merged,
  resource,
  definition,
  start,
  group,
  id,
  chosen,
  isDecided,
  onChoose,
  onLeave,
}: {
  merged: Merged
  resource: ConfigurationResource
  definition: PropertyDefinition
  /** What it begins with. */
  start: Edit
  /** The radio buttons that it is one of; null: it replaces the choices for single leaves, as a checkbox. */
  group: string | null
  id: string
  chosen: Edit | undefined
  /** Whether any option is selected. */
  isDecided: boolean
  onChoose: (edit: Edit) => void
  /** Back to the choices for single leaves. */
  onLeave: () => void
}) {
  const t = useText()
  const { configuration } = useEditor()
  const [typed, setTyped] = useState<Edit | null>(chosen ?? null)
  const isChosen = chosen !== undefined
  // they saved again after the selection: the typed value is kept, but must be selected again
  const isVoid = typed !== null && !isDecided
  const edit = chosen ?? (group === null && !isVoid ? start : (typed ?? start))
  const problem = isChosen ? editError(definition, edit, t) : null
  const choose = (next: Edit) => {
    setTyped(next)
    onChoose(next)
  }
  const take = isChosen ? choose : setTyped
  return (
    <div className={cx('px-4 py-2', group === null && 'border-t border-line')}>
      {group === null ? (
        <Checkbox
          checked={isChosen}
          onChange={({ target }) => {
            if (target.checked) return choose(edit)
            setTyped(null)
            return onLeave()
          }}
        >
          {t('configuration.conflict.third.whole')}
        </Checkbox>
      ) : (
        <Radio name={group} checked={isChosen} onChange={() => choose(edit)}>
          <span className="font-medium">{t('configuration.conflict.third')}</span>
        </Radio>
      )}
      {(isChosen || isVoid) && (
        <div className="mt-2 ml-6 max-w-[38rem]">
          <PropertyControl
            resourceKind={resource.kind}
            definition={definition}
            {...shownOf(edit)}
            isSet={isSet(merged.theirs)}
            onEdit={take}
            onReset={() => take(merged.edit)}
            wiring={{
              id,
              'aria-labelledby': undefined,
              'aria-describedby': problem === null ? undefined : `${id}-error`,
              'aria-invalid': problem === null ? undefined : true,
              'aria-required': undefined,
            }}
            readOnly={false}
            scope={configuration.scope}
          />
          {isVoid && (
            <p role="status" className="mt-1 text-xs text-muted">
              {t('configuration.conflict.third.again')}
            </p>
          )}
          {problem !== null && <FieldErrorText id={`${id}-error`}>{problem}</FieldErrorText>}
        </div>
      )}
    </div>
  )
}
