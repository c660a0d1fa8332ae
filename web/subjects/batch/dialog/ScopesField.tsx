import { useText } from '../../../i18n/use-text.ts'
import { scopeText, parseScope } from '../../scopes/scope-text.ts'
import { ChosenPlaces } from '../../scopes/ChosenPlaces.tsx'
import { useScopeSearch } from '../../scopes/use-scope-search.ts'
import type { ScopeKey } from '../../../addresses/paths.ts'
import { Combobox, type ComboboxOption } from '../../../ui/Combobox.tsx'
import { Field } from '../../../ui/Field.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'

const FIELD = 'batch-scopes'
/** Of the option that stands for all found scopes. */
const ALL = 'all:'

/** The scopes of an INSTALL: known ones, alone or all that match what is typed, and new ones that are typed in full. */
export function ScopesField({
  scopes,
  max,
  onChange,
}: {
  scopes: readonly ScopeKey[]
  max: number
  onChange: (scopes: readonly ScopeKey[]) => void
}) {
  const t = useText()
  const searchScopes = useScopeSearch()
  const chosen = new Set(scopes.map(scopeText))
  const search = async (text: string): Promise<ComboboxOption[]> => {
    const found = (await searchScopes(text)).filter(({ value }) => !chosen.has(value))
    if (found.length < 2) return found
    const all = {
      value: ALL + found.map(({ value }) => value).join(' '),
      label: t(text.trim() === '' ? 'batches.make.scopes.all' : 'batches.make.scopes.matching', {
        n: found.length,
      }),
    }
    return [...found, all]
  }
  const add = (option: ComboboxOption | null) => {
    if (option === null) return
    const added = option.value.startsWith(ALL) ? option.value.slice(ALL.length).split(' ') : [option.value]
    const parsed = added.map(parseScope).filter((scope) => scope !== null)
    onChange([...scopes, ...parsed].slice(0, max))
  }
  return (
    <div id={FIELD} role="group" {...focusHome(FIELD)} className="space-y-2">
      <Field label={t('batches.make.scopes')} help={t('batches.make.scopes.help')}>
        {(wiring) => (
          <Combobox
            wiring={wiring}
            value={null}
            search={search}
            placeholder={t('batches.make.scopes.placeholder')}
            onChange={add}
          />
        )}
      </Field>
      <ChosenPlaces
        label={t('batches.make.scopes.chosen')}
        places={scopes.map(scopeText)}
        onRemove={(place) => onChange(scopes.filter((one) => scopeText(one) !== place))}
      />
    </div>
  )
}
