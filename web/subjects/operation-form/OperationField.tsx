import type { Control } from 'react-hook-form'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { PropertyField } from '../../forms/property/controls/PropertyField.tsx'
import { TextButton } from '../../forms/property/controls/TextButton.tsx'
import { usePropertyEdit } from '../../forms/property/use-property-edit.ts'
import { useText } from '../../i18n/use-text.ts'
import { Badge } from '../../ui/Badge.tsx'
import { hasValue, type FormField } from './property-form.ts'
import type { OperationValues } from './use-operation-form.ts'

/** One property of an install or upgrade, and the origin of its value unless a person enters one. */
export function OperationField({
  control,
  field,
  resourceKind,
  scope,
}: {
  control: Control<OperationValues>
  field: FormField
  resourceKind: ResourceKind
  scope: Scope
}) {
  const t = useText()
  const busy = useFormBusy()
  const { id, property, definition, fallback, isNeeded, mark, target } = field
  const value = usePropertyEdit(control, id, definition)
  return (
    <PropertyField
      {...value}
      id={id}
      property={property}
      definition={definition}
      resourceKind={resourceKind}
      view={fallback.view}
      isSet={hasValue(fallback)}
      isRequired={isNeeded}
      // what arrived while somebody types would change their text
      readOnly={busy || fallback.from === 'loading'}
      scope={target?.scope ?? scope}
      label={target?.label}
      mark={
        mark && (
          <Badge tone={mark === 'new' ? 'ok' : 'quiet'} icon={mark === 'new' ? 'plus' : 'edit'}>
            {t(mark === 'new' ? 'installations.form.new' : 'installations.form.changed')}
          </Badge>
        )
      }
      hints={
        value.edit === null
          ? fallback.from !== 'nothing' &&
            fallback.from !== 'unknown' &&
            fallback.from !== 'loading' && <span>{t(`installations.form.from.${fallback.from}`)}</span>
          : !busy && (
              <TextButton of={`${id}-label`} isAccent onClick={value.onReset}>
                {t('installations.form.reset')}
              </TextButton>
            )
      }
    />
  )
}
