import { useId, useState } from 'react'
import type { ConfigurationResource, PropertyView } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { shownOf, type Edit } from '../../../forms/property/property-edit.ts'
import { editError } from '../../../forms/property/edit-error.ts'
import { PropertyControl } from '../../../forms/property/controls/PropertyControl.tsx'
import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Radio } from '../../../ui/Checkbox.tsx'
import { FieldErrorText } from '../../../ui/Field.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Time } from '../../../ui/Time.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { propertyTitle, resourceTitle } from '../draft/labels.ts'
import { isCurrentChoice, type Choice, type Merged } from '../draft/merge.ts'
import { mergeValues } from '../draft/merge-values.ts'
import { definitionOf } from '../draft/outline.ts'
import { isSet, viewOf } from '../../../forms/property/property-value.ts'

/** A property that both sides changed: base, theirs, mine, and the choice between them or a third value. */
export function ConflictCard({
  merged,
  choice,
  onChoose,
}: {
  merged: Merged
  choice: Choice | undefined
  onChoose: (choice: Choice) => void
}) {
  const t = useText()
  const rich = useRichText()
  const id = useId()
  const { configuration } = useEditor()
  const { locator, property, verdict, base, theirs, edit, isSensitive } = merged
  const resource: ConfigurationResource | undefined = configuration.resources[locator]
  const definition = definitionOf(resource, property)
  const chosen = choice !== undefined && isCurrentChoice(choice, merged) ? choice : undefined
  const by = verdict.kind === 'conflict' ? verdict.by : null
  const both = verdict.kind === 'conflict' ? mergeValues(base, theirs, edit) : null
  const tookBoth = both !== null && chosen?.take === 'other' && deepEqual(chosen.edit, both)
  const mine = viewOf(edit, isSensitive)
  const name = (value: string) => `${id}-${value}`

  return (
    <fieldset className="min-w-0 rounded-lg border border-line-strong">
      <legend className="sr-only">{propertyTitle(definition, property)}</legend>
      <div className="flex flex-wrap items-baseline gap-x-2 border-b border-line px-4 py-2">
        <span className="font-semibold">{propertyTitle(definition, property)}</span>
        <span className="text-muted">{resourceTitle(resource, locator)}</span>
        <span className="ml-auto text-xs text-faint">
          {t('configuration.conflict.base')} <PropertyValueView value={base} />
        </span>
      </div>
      {verdict.kind === 'gone' && (
        <p className="flex items-center gap-2 px-4 pt-3">
          <Icon name="warning" size={14} className="text-doubt" />
          {t(`configuration.conflict.gone.${verdict.why}`)}
        </p>
      )}
      <div className="divide-y divide-line px-4">
        <Option
          name={name('choice')}
          isChosen={chosen?.take === 'theirs'}
          onChoose={() => onChoose({ of: merged, take: 'theirs' })}
          label={
            verdict.kind === 'gone' ? t('configuration.conflict.letGo') : t('configuration.conflict.theirs')
          }
          detail={
            by === null
              ? undefined
              : rich('configuration.history.who', {
                  person: by.savedBy.name,
                  when: <Time at={by.savedAt} />,
                })
          }
          view={verdict.kind === 'gone' ? undefined : theirs}
          other={mine}
          hidden={isSensitive ? t('configuration.conflict.theirsHidden') : undefined}
        />
        {verdict.kind === 'gone' ? (
          <div className="py-2.5 pl-6 text-muted">
            {t('configuration.conflict.mine')}
            {t('common.punctuation.colon')}
            <PropertyValueView value={mine} />
          </div>
        ) : (
          <>
            <Option
              name={name('choice')}
              isChosen={chosen?.take === 'mine'}
              onChoose={() => onChoose({ of: merged, take: 'mine' })}
              label={t('configuration.conflict.mine')}
              view={mine}
              other={theirs}
              hidden={
                isSensitive && edit.kind !== 'removed' ? t('configuration.conflict.mineHidden') : undefined
              }
            />
            {both !== null && (
              <Option
                name={name('choice')}
                isChosen={tookBoth}
                onChoose={() => onChoose({ of: merged, take: 'other', edit: both })}
                label={t('configuration.conflict.both')}
                detail={t('configuration.conflict.both.help')}
                view={viewOf(both, false)}
              />
            )}
            {definition !== undefined && resource !== undefined && (
              <ThirdValue
                merged={merged}
                resource={resource}
                definition={definition}
                name={name('choice')}
                id={name('other')}
                chosen={chosen?.take === 'other' && !tookBoth ? chosen.edit : undefined}
                isDecided={chosen !== undefined}
                onChoose={(other) => onChoose({ of: merged, take: 'other', edit: other })}
              />
            )}
          </>
        )}
      </div>
    </fieldset>
  )
}

function Option({
  name,
  isChosen,
  onChoose,
  label,
  detail,
  view,
  other = null,
  hidden,
}: {
  name: string
  isChosen: boolean
  onChoose: () => void
  label: string
  detail?: React.ReactNode
  view?: PropertyView | null | undefined
  /** The value of the other side; what differs from it is marked. */
  other?: PropertyView | null | undefined
  hidden?: string | undefined
}) {
  return (
    <div className="py-2.5">
      <Radio name={name} checked={isChosen} onChange={onChoose}>
        <span className="grid min-w-0 gap-x-4 gap-y-0.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
          <span>
            <span className="font-medium">{label}</span>
            {detail !== undefined && <span className="block text-xs text-muted">{detail}</span>}
          </span>
          <span className="min-w-0">
            {hidden === undefined ? (
              view !== undefined && <PropertyValueView value={view} other={other} />
            ) : (
              <span className="text-muted">{hidden}</span>
            )}
          </span>
        </span>
      </Radio>
    </div>
  )
}

function ThirdValue({
  merged,
  resource,
  definition,
  name,
  id,
  chosen,
  isDecided,
  onChoose,
}: {
  merged: Merged
  resource: ConfigurationResource
  definition: PropertyDefinition
  name: string
  id: string
  chosen: Edit | undefined
  /** Whether any option is selected. */
  isDecided: boolean
  onChoose: (edit: Edit) => void
}) {
  const t = useText()
  const { configuration } = useEditor()
  const [typed, setTyped] = useState<Edit | null>(chosen ?? null)
  const isChosen = chosen !== undefined
  // they saved again after the selection: the typed value is kept, but must be selected again
  const isVoid = typed !== null && !isDecided
  const edit = chosen ?? typed ?? merged.edit
  const problem = isChosen ? editError(definition, edit, t) : null
  const choose = (next: Edit) => {
    setTyped(next)
    onChoose(next)
  }
  const take = isChosen ? choose : setTyped
  return (
    <div className="py-2.5">
      <Radio name={name} checked={isChosen} onChange={() => choose(edit)}>
        <span className="font-medium">{t('configuration.conflict.third')}</span>
      </Radio>
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
