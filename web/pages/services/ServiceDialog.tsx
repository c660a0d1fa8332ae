import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Service } from '#contract/console-api/shapes.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { useWrite } from '../../api/write.ts'
import { isAddress } from '../../components/address.ts'
import { fieldProblem } from '../../components/field-problem.ts'
import { EnabledField, LineField, RegistrationDialog } from '../../components/RegistrationDialog.tsx'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { Field } from '../../ui/Field.tsx'
import { TextArea } from '../../ui/TextInput.tsx'
import { showToast } from '../../ui/toast.ts'
import { ConsumersField } from './ConsumersField.tsx'
import { OwnerField } from './OwnerField.tsx'
import { formOf, methodsOf, wrongMethod, type ServiceForm } from './service-form.ts'

/** Registers a service, or changes its registration. */
export function ServiceDialog({ service, onClose }: { service: Service | null; onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const [form, setForm] = useState<ServiceForm>(() => formOf(service))
  const [isChecked, setChecked] = useState(false)
  const save = useWrite('PUT /services/{serviceId}', {
    outdates: ['GET /services', 'GET /services/{serviceId}', 'GET /services/{serviceId}/referrers'],
  })
  const change = (next: Partial<ServiceForm>) => setForm({ ...form, ...next })

  const method = wrongMethod(form.methods)
  const wrong = {
    serviceId: isKey(form.serviceId) ? undefined : t('services.form.id.invalid'),
    title: form.title.trim() === '' ? t('services.form.missing') : undefined,
    url: isAddress(form.url) ? undefined : t('services.form.url.invalid'),
    methods: method === undefined ? undefined : t('services.form.methods.invalid', { method }),
    owner: form.owner?.locator === '' ? t('services.form.owner.incomplete') : undefined,
  }
  const told = (field: keyof typeof wrong) =>
    (isChecked ? wrong[field] : undefined) ?? fieldProblem(save.error, field)

  const submit = () => {
    setChecked(true)
    if (Object.values(wrong).some(Boolean)) return
    const { serviceId, title, url, owner, consumers, enabled } = form
    save.mutate(
      {
        params: { serviceId },
        body: { title: title.trim(), url, methods: methodsOf(form.methods), owner, consumers, enabled },
      },
      {
        onSuccess: (saved) => {
          showToast({ text: t('services.form.saved', { service: saved.title }) })
          onClose()
          if (service === null) void navigate(paths.service(saved.serviceId))
        },
      },
    )
  }

  return (
    <RegistrationDialog
      title={
        service ? t('services.form.title.edit', { service: service.title }) : t('services.form.title.new')
      }
      submit={t(service ? 'common.save' : 'services.form.register')}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {service === null && (
        <LineField
          kind="key"
          label={t('services.form.id')}
          help={t('services.form.id.help')}
          error={told('serviceId')}
          maxLength={128}
          value={form.serviceId}
          onChange={(serviceId) => change({ serviceId })}
        />
      )}
      <LineField
        kind="words"
        label={t('services.form.name')}
        error={told('title')}
        maxLength={200}
        value={form.title}
        onChange={(title) => change({ title })}
      />
      <LineField
        kind="address"
        label={t('services.form.url')}
        help={t('services.form.url.help')}
        error={told('url')}
        maxLength={2048}
        value={form.url}
        onChange={(url) => change({ url })}
      />
      <OwnerField owner={form.owner} onChange={(owner) => change({ owner })} error={told('owner')} />
      {form.owner === null && (
        <Field
          label={t('services.form.methods')}
          help={t('services.form.methods.help')}
          error={told('methods')}
        >
          {(wiring) => (
            <TextArea
              {...wiring}
              code
              rows={3}
              value={form.methods}
              onChange={(event) => change({ methods: event.target.value })}
            />
          )}
        </Field>
      )}
      <ConsumersField consumers={form.consumers} onChange={(consumers) => change({ consumers })} />
      <EnabledField
        label={t('services.form.enabled')}
        meaning={t('services.disabled.meaning')}
        enabled={form.enabled}
        onChange={(enabled) => change({ enabled })}
      />
    </RegistrationDialog>
  )
}
