import { useState, type ReactNode } from 'react'
import { useController, type Control } from 'react-hook-form'
import { ROLES } from '#contract/console-api/role-text.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { useText } from '../../i18n/use-text.ts'
import { roleName } from '../../subjects/people/role-name.ts'
import { usePlaceSearch } from '../../subjects/scopes/use-scope-search.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox, type ComboboxOption } from '../../ui/Combobox.tsx'
import { Field, FieldErrorText } from '../../ui/Field.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { Select } from '../../ui/Select.tsx'

/** For a new line: the role with the fewest permissions, without a place, which the person has to choose. */
export const NEW_ROLE = 'viewer@'
const EVERYWHERE = '*'
const ADD = 'add-role'

/** Roles as texts (`contract/console-api/role-text.ts`), each as a role and where it applies. */
export function RolesField({ control }: { control: Control<{ name: string; roles: string[] }> }) {
  const t = useText()
  const busy = useFormBusy()
  const { field, formState } = useController({ control, name: 'roles' })
  const errors = formState.errors.roles
  const error = errors?.message
  const roles = field.value
  // what a line shows besides its role goes with it when another line is removed
  const [lines, setLines] = useState(() => roles.map((_, at) => at))
  const replace = (at: number, text: string) => field.onChange(roles.with(at, text))
  return (
    <fieldset data-invalid={error ? ADD : undefined} className="space-y-3" {...focusHome(ADD)}>
      <legend className="sr-only">{t('accounts.roles')}</legend>
      {roles.map((text, at) => (
        <RoleLine
          key={lines[at]}
          name={t('accounts.roles.line', { n: at + 1 })}
          text={text}
          error={errors?.[at]?.message}
          busy={busy}
          onChange={(changed) => replace(at, changed)}
        >
          <Button
            variant="quiet"
            icon="close"
            label={t('accounts.roles.remove', { n: at + 1 })}
            className="mt-6"
            onClick={() => {
              if (busy) return
              field.onChange(roles.toSpliced(at, 1))
              setLines(lines.toSpliced(at, 1))
            }}
          />
        </RoleLine>
      ))}
      <Button
        id={ADD}
        size="sm"
        icon="plus"
        onClick={() => {
          if (busy) return
          field.onChange([...roles, NEW_ROLE])
          setLines([...lines, Math.max(-1, ...lines) + 1])
        }}
      >
        {t('accounts.roles.add')}
      </Button>
      {error && <FieldErrorText id={`${ADD}-error`}>{error}</FieldErrorText>}
    </fieldset>
  )
}

function RoleLine({
  name,
  text,
  error,
  busy,
  onChange,
  children,
}: {
  name: string
  text: string
  error: string | undefined
  busy: boolean
  onChange: (text: string) => void
  /** The button that removes it. */
  children: ReactNode
}) {
  const t = useText()
  const everywhere: ComboboxOption = { value: EVERYWHERE, label: t('notifications.scope.all') }
  const search = usePlaceSearch([everywhere])
  const [role = '', place] = text.split('@')
  const write = (newRole: string, newPlace: string | undefined) =>
    onChange(newPlace === undefined ? newRole : `${newRole}@${newPlace}`)
  return (
    <div role="group" aria-label={name} className="flex flex-wrap items-start gap-2">
      <Field label={t('accounts.roles.role')} className="w-full sm:w-36">
        {(wiring) => (
          <Select
            {...wiring}
            value={role}
            disabled={busy}
            options={ROLES.map((value) => ({ value, label: roleName(value, t) }))}
            onChange={({ target }) => write(target.value, place)}
          />
        )}
      </Field>
      <Field label={t('accounts.roles.place')} error={error} className="flex-1">
        {(wiring) => (
          <Combobox
            wiring={wiring}
            readOnly={busy}
            placeholder={t('accounts.roles.place.example')}
            value={place === undefined ? everywhere : place === '' ? null : { value: place, label: place }}
            search={search}
            // without a place, a role applies everywhere: clearing the field does not widen it
            onChange={(option) =>
              write(role, option?.value === EVERYWHERE ? undefined : (option?.value ?? ''))
            }
          />
        )}
      </Field>
      {children}
    </div>
  )
}
