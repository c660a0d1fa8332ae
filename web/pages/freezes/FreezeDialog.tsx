import { useMemo } from 'react'
import { useController, useWatch, type Control } from 'react-hook-form'
import type { Freeze } from '#contract/console-api/shapes.ts'
import { CHANGE_KINDS, WEEKDAYS } from '#contract/console-api/vocabulary.ts'
import { useWrite } from '../../api/write.ts'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { SwitchField } from '../../forms/fields/SwitchField.tsx'
import { TextAreaField } from '../../forms/fields/TextAreaField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { keepForm, keptForm, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { FieldErrorText } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { SegmentedControl } from '../../ui/SegmentedControl.tsx'
import { showToast } from '../../ui/toast.ts'
import { PlacesField } from './PlacesField.tsx'
import { freezeBodyOf, freezeFormOf, freezeSchema, type FreezeForm } from './freeze-form.ts'

/** Where a change of a freeze is kept during a sign-in. */
export const FREEZES = 'freezes'

/** The freeze as the person saw it. */
export const targetOf = ({ name, updatedAt }: Freeze): string => `${name} ${updatedAt}`

/** Creates a freeze, or changes one; its name stays. */
export function FreezeDialog({
  freeze,
  resumed,
  onClose,
}: {
  freeze: Freeze | null
  /** What the person entered before they left to sign in again. */
  resumed: InterruptedAction | null
  onClose: () => void
}) {
  const t = useText()
  const schema = useMemo(() => freezeSchema(t), [t])
  const form = useZodForm<FreezeForm>(schema, {
    defaultValues: keptForm(resumed, schema) ?? freezeFormOf(freeze),
  })
  const { control } = form
  const save = useWrite('PUT /freezes/{name}', {
    invalidates: [
      'GET /freezes',
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions',
    ],
  })
  const submit = useSubmit(
    form,
    async (values) => {
      await save.mutateAsync({
        params: { name: values.name },
        body: { ...freezeBodyOf(values), updatedAt: freeze?.updatedAt ?? null },
      })
      showToast({ text: t('freezes.saved') })
      onClose()
    },
    fieldOfRequest(['message', 'timeZone', 'from', 'to', 'reason']),
  )
  const repeats = useWatch({ control, name: 'repeats' })
  return (
    <FormDialog
      form={form}
      {...submit}
      title={freeze === null ? t('freezes.create') : t('freezes.edit.title', { name: freeze.name })}
      submit={freeze === null ? t('freezes.create') : t('common.save')}
      errorActions={
        freeze !== null &&
        needsSignIn(submit.error?.error.problem.code) && (
          <SignInAgain
            keep={(personId) =>
              keepForm(personId, FREEZES, { target: targetOf(freeze), values: form.getValues() })
            }
          />
        )
      }
      onClose={onClose}
    >
      {resumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      {freeze === null && (
        <TextField
          control={control}
          name="name"
          kind="key"
          label={t('freezes.field.name')}
          help={t('freezes.form.name.help')}
          maxLength={128}
        />
      )}
      <PlacesField control={control} />
      <SegmentedControl
        label={t('freezes.field.when')}
        value={repeats}
        options={(['once', 'weekly'] as const).map((value) => ({
          value,
          label: t(`freezes.repeats.${value}`),
        }))}
        onChange={(value) => form.setValue('repeats', value, { shouldDirty: true })}
      />
      {repeats === 'weekly' && <Choices control={control} name="days" legend={t('freezes.field.days')} />}
      <div className="grid gap-3 sm:grid-cols-2">
        {TIMES[repeats].map(([name, label, help, kind]) => (
          <TextField
            key={name}
            control={control}
            name={name}
            kind={kind}
            label={t(`freezes.field.${label}`)}
            help={t(`freezes.form.${help}.help`)}
          />
        ))}
      </div>
      <TextField control={control} name="timeZone" kind="code" label={t('freezes.field.zone')} />
      <Choices control={control} name="blocks" legend={t('freezes.field.blocks')} />
      <SwitchField
        control={control}
        name="allowsRecovery"
        label={t('freezes.field.recovery')}
        offMeaning={t('freezes.recovery.off')}
      />
      <TextAreaField
        control={control}
        name="message"
        rows={2}
        maxLength={300}
        label={t('freezes.field.message')}
        help={t('freezes.form.message.help')}
      />
      <ReasonField control={control} />
    </FormDialog>
  )
}

/** The two fields of time: name, label, help, kind. */
const TIMES = {
  once: [
    ['from', 'from', 'time', 'time'],
    ['to', 'to', 'to', 'time'],
  ],
  weekly: [
    ['fromTime', 'from', 'time', 'timeOfDay'],
    ['toTime', 'to', 'nextDay', 'timeOfDay'],
  ],
} as const

/** The days, or the kinds of changes, as checkboxes in their order. */
function Choices({
  control,
  name,
  legend,
}: {
  control: Control<FreezeForm>
  name: 'days' | 'blocks'
  legend: string
}) {
  const t = useText()
  const busy = useFormBusy()
  const { field, fieldState } = useController({ control, name })
  const error = fieldState.error?.message
  const chosen: readonly string[] = field.value
  const all = name === 'days' ? WEEKDAYS : CHANGE_KINDS
  return (
    <fieldset data-invalid={error ? name : undefined}>
      <legend className="mb-1 font-medium">{legend}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-x-5 gap-y-1">
        {all.map((value, index) => (
          <Checkbox
            key={value}
            id={index === 0 ? name : undefined}
            checked={chosen.includes(value)}
            disabled={busy}
            onBlur={field.onBlur}
            onChange={({ target }) =>
              field.onChange(all.filter((one) => (one === value ? target.checked : chosen.includes(one))))
            }
          >
            {name === 'days' ? t(`freezes.day.${value as 'MON'}`) : t(`freezes.kind.${value as 'INSTALL'}`)}
          </Checkbox>
        ))}
      </div>
      {error && <FieldErrorText id={`${name}-error`}>{error}</FieldErrorText>}
    </fieldset>
  )
}
