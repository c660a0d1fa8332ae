import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useWatch, useController, type Control } from 'react-hook-form'
import type { Service } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { SwitchField } from '../../forms/fields/SwitchField.tsx'
import { TextAreaField } from '../../forms/fields/TextAreaField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { showToast } from '../../ui/toast.ts'
import { OwnerField } from './OwnerField.tsx'
import { serviceBodyOf, serviceFormOf, serviceSchema, type ServiceForm } from './service-form.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { parseScope, scopeText } from '../../subjects/scopes/scope-text.ts'
import { useScopeSearch } from '../../subjects/scopes/use-scope-search.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'

/** Registers a service, or edits its registration. */
export function ServiceDialog({ service, onClose }: { service: Service | null; onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const schema = useMemo(() => serviceSchema(t), [t])
  const form = useZodForm(schema, { defaultValues: serviceFormOf(service) })
  const { control } = form
  // what the form began with, also after the page behind it has read a newer one
  const [expected] = useState(() => (service === null ? null : service.updatedAt))
  const hasOwner = useWatch({ control, name: 'owner' }) !== null
  const save = useWrite('PUT /services/{serviceId}', {
    invalidates: ['GET /services', 'GET /services/{serviceId}', 'GET /services/{serviceId}/dependencies'],
  })
  const submit = useSubmit(
    form,
    async (values) => {
      const { serviceId } = values
      const saved = await save.mutateAsync({
        params: { serviceId },
        body: { ...serviceBodyOf(values), expected },
      })
      showToast({ text: t('services.form.saved', { service: saved.title }) })
      onClose()
      if (service === null) void navigate(paths.service(serviceId))
    },
    fieldOfRequest([
      ...(service === null ? (['serviceId'] as const) : []),
      ...(hasOwner ? [] : (['methods'] as const)),
      'title',
      'url',
      'owner',
      'consumers',
      'reason',
    ]),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={
        service ? t('services.form.title.edit', { service: service.title }) : t('services.form.title.new')
      }
      submit={t(service ? 'common.save' : 'services.form.register')}
      onClose={onClose}
    >
      {service === null && (
        <TextField
          control={control}
          name="serviceId"
          kind="key"
          label={t('services.form.id')}
          help={t('services.form.id.help')}
          maxLength={128}
        />
      )}
      <TextField control={control} name="title" label={t('services.form.name')} maxLength={200} />
      <TextField
        control={control}
        name="url"
        kind="address"
        label={t('services.form.url')}
        help={t('services.form.url.help')}
        maxLength={2048}
      />
      <OwnerField control={control} />
      {!hasOwner && (
        <TextAreaField
          control={control}
          name="methods"
          code
          rows={3}
          label={t('services.form.methods')}
          help={t('services.form.methods.help')}
        />
      )}
      <ConsumersField control={control} />
      <SwitchField
        control={control}
        name="enabled"
        label={t('services.form.enabled')}
        offMeaning={t('services.disabled.meaning')}
      />
      <ReasonField control={control} />
    </FormDialog>
  )
}

/** The scopes that may use a service: selected from the known ones, or typed in full. */
function ConsumersField({ control }: { control: Control<ServiceForm> }) {
  const t = useText()
  const search = useScopeSearch()
  const busy = useFormBusy()
  const { field, fieldState } = useController({ control, name: 'consumers' })
  const names = new Set(field.value.map(scopeText))
  return (
    <Field
      label={t('services.form.consumers')}
      help={t('services.form.consumers.help')}
      error={fieldState.error?.message}
      need="optional"
    >
      {(wiring) => (
        <div className="space-y-2">
          {field.value.length > 0 && (
            <ul className="max-h-48 divide-y divide-line overflow-y-auto rounded-md border border-line">
              {field.value.map((scope) => (
                <li
                  key={scopeText(scope)}
                  className="flex items-center justify-between gap-2 py-0.5 pr-1 pl-2.5"
                >
                  <ScopeText scope={scope} />
                  <Button
                    size="sm"
                    variant="quiet"
                    icon="close"
                    label={t('services.form.consumers.remove', { scope: scopeText(scope) })}
                    busy={busy}
                    onClick={() => field.onChange(field.value.filter((other) => other !== scope))}
                  />
                </li>
              ))}
            </ul>
          )}
          <Combobox
            wiring={wiring}
            value={null}
            placeholder={t('services.form.consumers.add')}
            readOnly={busy}
            search={async (text) => (await search(text)).filter(({ value }) => !names.has(value))}
            onChange={(option) => {
              const scope = option && parseScope(option.value)
              if (scope) field.onChange([...field.value, scope])
            }}
          />
        </div>
      )}
    </Field>
  )
}
