import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { NumberField } from '../../forms/fields/NumberField.tsx'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { SwitchField } from '../../forms/fields/SwitchField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { showToast } from '../../ui/toast.ts'
import { LIMIT_RANGE, LIMITS } from './plugin-limits.ts'
import { RunbookFields, LinkFields } from './RunbookFields.tsx'
import { pluginBodyOf, pluginFieldOf, pluginFormOf, pluginSchema } from './plugin-form.ts'

/** Registers a plugin, or edits its registration. */
export function PluginDialog({ plugin, onClose }: { plugin: Plugin | null; onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const schema = useMemo(() => pluginSchema(t), [t])
  const form = useZodForm(schema, { defaultValues: pluginFormOf(plugin) })
  const { control } = form
  // what the form began with, also after the page behind it has read a newer one
  const [expected] = useState(() => (plugin === null ? null : plugin.updatedAt))
  const save = useWrite('PUT /plugins/{pluginId}', {
    invalidates: ['GET /plugins', 'GET /plugins/{pluginId}', 'GET /operations/{operationId}/context'],
  })
  const submit = useSubmit(
    form,
    async (values) => {
      const { pluginId } = values
      const saved = await save.mutateAsync({
        params: { pluginId },
        body: { ...pluginBodyOf(values), expected },
      })
      showToast({ text: t('plugins.form.saved', { plugin: saved.title }) })
      onClose()
      // it needs a credential next
      if (plugin === null) void navigate(paths.plugin(pluginId, { tab: 'credentials' }))
    },
    (detail) =>
      pluginFieldOf(detail.path ?? '') ??
      fieldOfRequest([
        ...(plugin === null ? (['pluginId'] as const) : []),
        'title',
        'endpoint',
        'version',
        ...LIMITS,
        'reason',
      ])(detail),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={plugin ? t('plugins.form.title.edit', { plugin: plugin.title }) : t('plugins.form.title.new')}
      description={t(plugin === null ? 'plugins.form.about.new' : 'plugins.form.about')}
      submit={t(plugin ? 'common.save' : 'plugins.form.register')}
      onClose={onClose}
    >
      {plugin === null && (
        <TextField
          control={control}
          name="pluginId"
          kind="key"
          label={t('plugins.form.id')}
          help={t('plugins.form.id.help')}
          maxLength={128}
        />
      )}
      <TextField control={control} name="title" label={t('plugins.form.name')} maxLength={200} />
      <TextField
        control={control}
        name="endpoint"
        kind="address"
        label={t('plugins.form.endpoint')}
        help={t('plugins.form.endpoint.help')}
        maxLength={2048}
      />
      <SwitchField
        control={control}
        name="enabled"
        label={t('plugins.form.enabled')}
        offMeaning={t('plugins.disabled.meaning')}
      />
      <TextField
        control={control}
        name="version"
        kind="key"
        label={t('plugins.form.version')}
        help={t('plugins.form.version.help')}
        maxLength={128}
      />
      <fieldset>
        <legend className="font-medium">{t('plugins.form.owner')}</legend>
        <p className="mb-2 text-xs text-faint">{t('plugins.form.owner.help')}</p>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            control={control}
            name="ownerTeam"
            label={<span className="font-normal">{t('plugins.form.ownerTeam')}</span>}
            maxLength={200}
          />
          <TextField
            control={control}
            name="ownerContact"
            kind="address"
            label={<span className="font-normal">{t('plugins.form.ownerContact')}</span>}
            help={t('plugins.form.ownerContact.help')}
            maxLength={2048}
          />
        </div>
      </fieldset>
      <fieldset>
        <legend className="font-medium">{t('plugins.form.limits')}</legend>
        <p className="mb-2 text-xs text-faint">{t('plugins.form.limits.help')}</p>
        <div className="grid gap-3 sm:grid-cols-3">
          {LIMITS.map((limit) => (
            <NumberField
              key={limit}
              control={control}
              name={limit}
              label={<span className="font-normal">{t(`plugins.form.${limit}`)}</span>}
              help={t('plugins.form.range', LIMIT_RANGE[limit])}
            />
          ))}
        </div>
      </fieldset>
      <RunbookFields control={control} />
      <LinkFields control={control} />
      <ReasonField control={control} />
    </FormDialog>
  )
}
