import { useEffect, useMemo, useRef, useState } from 'react'
import { useController, type Control } from 'react-hook-form'
import type { Webhook } from '#contract/console-api/shapes.ts'
import { NOTIFICATION_EVENTS, WEBHOOK_FORMATS } from '#contract/console-api/vocabulary.ts'
import { useWrite } from '../../api/write.ts'
import { SecretDialog } from '../../forms/dialogs/SecretDialog.tsx'
import { NumberField } from '../../forms/fields/NumberField.tsx'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { SwitchField } from '../../forms/fields/SwitchField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { showToast } from '../../ui/toast.ts'
import {
  EVENT_FIELDS,
  webhookBodyOf,
  webhookFormOf,
  webhookSchema,
  type WebhookForm,
} from './webhook-form.ts'

/** Creates a webhook and shows its secret once, or edits one. */
export function WebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const t = useText()
  const [created, setCreated] = useState<{ secret: string | null } | null>(null)
  const schema = useMemo(() => webhookSchema(t, webhook), [t, webhook])
  const form = useZodForm(schema, { defaultValues: webhookFormOf(webhook) })
  // what the form began with, also after the page behind it has read a newer one
  const [opened] = useState(webhook)
  // the platform may disable it while the form is open; a person's choice stays
  const isEnabled = webhook?.enabled ?? true
  const wasEnabled = useRef(isEnabled)
  useEffect(() => {
    if (isEnabled === wasEnabled.current) return
    const isUntouched = form.getValues('enabled') === wasEnabled.current
    if (isUntouched) form.resetField('enabled', { defaultValue: isEnabled })
    wasEnabled.current = isEnabled
  }, [form, isEnabled])
  const { control } = form
  const create = useWrite('POST /webhooks', { invalidates: ['GET /webhooks'] })
  const save = useWrite('PUT /webhooks/{webhookId}', { invalidates: ['GET /webhooks'] })
  const submit = useSubmit(
    form,
    async (values) => {
      const body = webhookBodyOf(values)
      if (webhook === null) {
        const { secret } = await create.mutateAsync({ body: { ...body, url: values.url } })
        setCreated({ secret })
        // the mutation would keep the secret too
        create.reset()
        return
      }
      const { webhookId } = webhook
      // the same when it is sent again: then the page may have read what the first request has saved
      const isSwitched = values.enabled !== wasEnabled.current || values.enabled !== opened?.enabled
      await save.mutateAsync({
        params: { webhookId },
        body: {
          ...body,
          ...(values.url !== '' && { url: values.url }),
          expected: opened?.updatedAt,
          ...(isSwitched && { enabled: values.enabled }),
        },
      })
      showToast({ text: t('notifications.form.saved') })
      onClose()
    },
    fieldOfRequest(['title', 'url', 'format', 'retryingAfterMinutes', 'reason']),
  )
  if (created) {
    return <SecretDialog of="notifications" secret={created.secret} onClose={onClose} />
  }
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t(webhook ? 'notifications.form.title.edit' : 'notifications.form.title.new')}
      description={webhook === null ? t('notifications.form.about') : undefined}
      submit={t(webhook ? 'common.save' : 'notifications.create')}
      onClose={onClose}
    >
      <TextField control={control} name="title" label={t('notifications.field.title')} maxLength={200} />
      <TextField
        control={control}
        name="url"
        kind="address"
        label={t('notifications.field.url')}
        help={
          webhook ? t('notifications.form.url.keep', { url: webhook.url }) : t('notifications.form.url.help')
        }
        maxLength={2048}
      />
      <FormatField control={control} />
      {webhook !== null && (
        <SwitchField
          control={control}
          name="enabled"
          label={t('notifications.enabled')}
          offMeaning={t('notifications.disabled.meaning')}
        />
      )}
      <fieldset>
        <legend className="mb-2 font-medium">{t('notifications.field.events')}</legend>
        <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
          {NOTIFICATION_EVENTS.map((event) => (
            <SwitchField
              key={event}
              control={control}
              name={EVENT_FIELDS[event]}
              label={t(`notifications.event.${event}`)}
              offMeaning={t('notifications.form.notReported')}
            />
          ))}
        </div>
      </fieldset>
      <NumberField
        control={control}
        name="retryingAfterMinutes"
        label={t('notifications.field.retryingAfter')}
        help={t('notifications.form.minutes.help')}
      />
      <fieldset>
        <legend className="font-medium">{t('notifications.field.scope')}</legend>
        <p className="mb-2 text-xs text-faint">{t('notifications.form.scope.help')}</p>
        <div className="grid gap-3 sm:grid-cols-3">
          <TextField
            control={control}
            name="environmentKey"
            kind="key"
            label={<span className="font-normal">{t('notifications.field.environment')}</span>}
            maxLength={128}
          />
          <TextField
            control={control}
            name="applicationRuntimeId"
            kind="key"
            label={<span className="font-normal">{t('notifications.field.runtime')}</span>}
            maxLength={128}
          />
          <TextField
            control={control}
            name="workspaceId"
            kind="key"
            label={<span className="font-normal">{t('notifications.field.workspace')}</span>}
            maxLength={128}
          />
        </div>
      </fieldset>
      <ReasonField control={control} />
    </FormDialog>
  )
}

/** The form in which the receiver reads the notifications. */
function FormatField({ control }: { control: Control<WebhookForm> }) {
  const t = useText()
  const busy = useFormBusy()
  const { field, fieldState } = useController({ control, name: 'format' })
  return (
    <Field
      label={t('notifications.field.format')}
      help={t(`notifications.format.${field.value}.about`)}
      error={fieldState.error?.message}
    >
      {(wiring) => (
        <Select
          {...wiring}
          value={field.value}
          disabled={busy}
          onBlur={field.onBlur}
          onChange={field.onChange}
          options={WEBHOOK_FORMATS.map((value) => ({ value, label: t(`notifications.format.${value}`) }))}
        />
      )}
    </Field>
  )
}
