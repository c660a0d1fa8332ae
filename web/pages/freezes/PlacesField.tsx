import { useController, type Control } from 'react-hook-form'
import { isKey } from '#contract/protocol/locator.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { useText } from '../../i18n/use-text.ts'
import { ChosenPlaces } from '../../subjects/scopes/ChosenPlaces.tsx'
import { usePlaceSearch } from '../../subjects/scopes/use-scope-search.ts'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import type { FreezeForm } from './freeze-form.ts'

const FIELD = 'freeze-places'

/** Where a freeze applies: environments, or scopes. The first one decides which. */
export function PlacesField({ control }: { control: Control<FreezeForm> }) {
  const t = useText()
  const busy = useFormBusy()
  const searchPlaces = usePlaceSearch()
  const { field, fieldState } = useController({ control, name: 'places' })
  const places = field.value
  const [first] = places
  const search = async (text: string) =>
    (await searchPlaces(text)).filter(
      ({ value }) => !places.includes(value) && (first === undefined || isKey(value) === isKey(first)),
    )
  return (
    <div id={FIELD} role="group" {...focusHome(FIELD)} className="space-y-2">
      <Field
        label={t('freezes.field.places')}
        help={t('freezes.form.places.help')}
        error={fieldState.error?.message}
      >
        {(wiring) => (
          <Combobox
            wiring={wiring}
            value={null}
            readOnly={busy}
            search={search}
            onChange={(option) => option && field.onChange([...places, option.value])}
          />
        )}
      </Field>
      <ChosenPlaces
        label={t('freezes.field.places')}
        places={places}
        onRemove={(place) => !busy && field.onChange(places.filter((one) => one !== place))}
      />
    </div>
  )
}
