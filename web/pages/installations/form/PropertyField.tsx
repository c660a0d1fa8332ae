import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { propertyHelp, propertyTitle } from '../../../components/property-labels.ts'
import { limitsText } from '../../../forms/limits-text.ts'
import { PropertyControl } from '../../../forms/PropertyControl.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Icon } from '../../../ui/icons/Icon.tsx'
import { isSet, valueOf, type FormField } from './property-form.ts'
import type { PropertyEdits } from './use-property-edits.ts'

/** One property: what it is at the left, its control at the right, and under it where its value comes from. */
export function PropertyField({
  field,
  kind,
  values,
  scope,
  readOnly,
}: {
  field: FormField
  kind: ResourceKind
  values: PropertyEdits
  scope: Scope
  readOnly: boolean
}) {
  const t = useText()
  const { id, definition, property, fallback, isNeeded, mark } = field
  const edit = values.edits.get(id)
  const problem = values.problemOf(field)
  const limits = limitsText(definition, t)
  const help = propertyHelp(definition)
  const title = propertyTitle(definition, property)
  const described = [
    problem !== null && `${id}-error`,
    help !== '' && `${id}-help`,
    limits !== '' && `${id}-limits`,
  ]
  return (
    <div className="relative grid scroll-my-24 gap-x-8 gap-y-2 py-3.5 @min-[42rem]/form:grid-cols-[minmax(11rem,16rem)_minmax(0,1fr)]">
      <div className="min-w-0">
        <label
          id={`${id}-label`}
          htmlFor={id}
          className="flex flex-wrap items-baseline gap-x-2 font-medium wrap-anywhere"
        >
          {title}
          {(isNeeded || definition.required === true) && (
            <span className="text-xs font-normal text-faint">{t('common.required')}</span>
          )}
          {mark && (
            <Badge tone={mark === 'new' ? 'ok' : 'quiet'} icon={mark === 'new' ? 'plus' : 'edit'}>
              {t(mark === 'new' ? 'installations.form.new' : 'installations.form.changed')}
            </Badge>
          )}
        </label>
        {title !== property && <p className="mono text-faint wrap-anywhere">{property}</p>}
        {help !== '' && (
          <p id={`${id}-help`} className="mt-0.5 max-w-[56ch] text-xs text-muted wrap-anywhere">
            {help}
          </p>
        )}
      </div>
      <div className="max-w-[38rem] min-w-0">
        <PropertyControl
          resourceKind={kind}
          definition={definition}
          value={edit === undefined ? valueOf(fallback.view) : edit.kind === 'set' ? edit.value : null}
          unfinished={edit?.kind === 'unfinished' ? edit.text : null}
          isSet={isSet(fallback)}
          onEdit={(next) => values.edit(id, next)}
          onReset={() => values.reset(id)}
          wiring={{
            id,
            'aria-labelledby': `${id}-label`,
            'aria-describedby': described.filter(Boolean).join(' ') || undefined,
            'aria-invalid': problem === null ? undefined : true,
            'aria-required': isNeeded ? true : undefined,
          }}
          readOnly={readOnly}
          scope={scope}
        />
        {problem !== null && (
          <p id={`${id}-error`} className="mt-1.5 flex gap-1.5 text-xs text-fail">
            <Icon name="failed" size={12} className="mt-0.5" />
            <span className="min-w-0 wrap-anywhere">{problem}</span>
          </p>
        )}
        <div className="mt-1 flex min-h-5 flex-wrap items-center gap-x-3 text-xs text-faint">
          {limits !== '' && <span id={`${id}-limits`}>{limits}</span>}
          {edit === undefined && fallback.from !== 'nothing' && (
            <span>{t(`installations.form.from.${fallback.from}`)}</span>
          )}
          {edit !== undefined && !readOnly && (
            <button
              type="button"
              onClick={() => values.reset(id)}
              className="h-6 rounded-sm font-medium text-accent hover:underline"
            >
              {t('installations.form.reset')}
            </button>
          )}
        </div>
      </div>
    </div>
  )
}
