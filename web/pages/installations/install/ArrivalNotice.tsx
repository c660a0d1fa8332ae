import { useWatch, type Control } from 'react-hook-form'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import type { FieldId, PropertyPlace } from '../../../forms/property/property-place.ts'
import { editTo } from '../../../forms/property/property-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { LEFT } from '../../../subjects/arrival/left.ts'
import { PlaceList } from '../../../subjects/arrival/PlaceList.tsx'
import type { FormResource } from '../../../subjects/operation-form/property-form.ts'
import type { OperationValues } from '../../../subjects/operation-form/use-operation-form.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import type { ArrivedValues } from './arriving-values.ts'
import { BoundChoices } from './BoundChoices.tsx'

/** Values that a file or an installation brought. */
export interface Arrival extends ArrivedValues {
  /** The name of the file, or the scope of the installation. */
  source: string
  /** The scope that they come from, if it is known. */
  from: Scope | null
  /** When they came. */
  at: number
}

/** What arrived, what was left out and why, and the choice of what belongs to another place. */
export function ArrivalNotice({
  arrival: { source, from, edits: taken, held, left, differing },
  control,
  resources,
  enter,
  onClose,
}: {
  arrival: Arrival
  control: Control<OperationValues>
  resources: readonly FormResource[]
  enter: (id: FieldId, edit: Edit | null) => void
  onClose: () => void
}) {
  const t = useText()
  const ticked = useWatch({
    control,
    compute: ({ edits }) =>
      [...held, ...differing]
        .filter(({ id, value }) => deepEqual(edits[id]?.read() ?? null, editTo(value)))
        .map(({ id }) => id),
  })
  const titleOf = ({ locator, property }: PropertyPlace) => {
    const resource = resources.find((one) => one.locator === locator)
    const field = resource?.fields.find((one) => one.property === property)
    return `${resource?.title ?? locator} · ${propertyTitle(field?.definition, property)}`
  }
  const count = [...taken.values()].filter((edit) => edit !== null).length
  const hasNothing = count === 0 && held.length === 0 && differing.length === 0
  return (
    <Notice
      tone={hasNothing || held.length > 0 || differing.length > 0 ? 'warn' : 'info'}
      live
      title={
        hasNothing
          ? t('installations.bring.nothing', { source })
          : t('installations.bring.taken', { n: count, source })
      }
      actions={
        <Button size="sm" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      {LEFT.map((why) => (
        <PlaceList
          key={why}
          // what a plugin writes, and what this version has, is said of an install
          text={(n) =>
            why === 'plugin' || why === 'gone'
              ? t(`installations.bring.${why}`, { n })
              : t(`configuration.restore.${why}`, { n })
          }
          places={left.filter((one) => one.why === why)}
          titleOf={titleOf}
        />
      ))}
      {differing.length > 0 && (
        <div className="mt-2">
          <p className="font-semibold">{t('installations.bring.differing', { n: differing.length })}</p>
          <BoundChoices
            about={t('installations.bring.differing.message')}
            bound={differing}
            ticked={new Set(ticked)}
            onTick={({ id, value, own }, isTicked) => enter(id, isTicked ? editTo(value) : own)}
          />
        </div>
      )}
      {held.length > 0 && (
        <div className="mt-2">
          <p className="font-semibold">
            {t('installations.copy.bound', {
              n: held.length,
              scope: from === null ? source : scopeText(from),
            })}
          </p>
          <BoundChoices
            about={t('installations.copy.bound.message')}
            bound={held}
            ticked={new Set(ticked)}
            onTick={({ id, value, own }, isTicked) => enter(id, isTicked ? editTo(value) : own)}
          />
        </div>
      )}
    </Notice>
  )
}
