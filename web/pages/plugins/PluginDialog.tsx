import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { useWrite } from '../../api/write.ts'
import { isAddress } from '../../components/address.ts'
import { fieldProblem } from '../../components/field-problem.ts'
import { EnabledField, LineField, RegistrationDialog } from '../../components/RegistrationDialog.tsx'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/TextInput.tsx'
import { showToast } from '../../ui/toast.ts'
import { LIMIT_RANGE, LIMITS, readLimit, type Limit } from './limits.ts'

type Form = { pluginId: string; title: string; endpoint: string; enabled: boolean } & Record<Limit, string>

/** Registers a plugin, or changes its registration. */
export function PluginDialog({ plugin, onClose }: { plugin: Plugin | null; onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const [form, setForm] = useState<Form>(() => formOf(plugin))
  const [isChecked, setChecked] = useState(false)
  const save = useWrite('PUT /plugins/{pluginId}', {
    outdates: ['GET /plugins', 'GET /plugins/{pluginId}'],
  })
  const change = (next: Partial<Form>) => setForm({ ...form, ...next })

  const wrong = {
    pluginId: isKey(form.pluginId) ? undefined : t('plugins.form.id.invalid'),
    title: form.title.trim() === '' ? t('plugins.form.missing') : undefined,
    endpoint: isAddress(form.endpoint) ? undefined : t('plugins.form.endpoint.invalid'),
  }
  const limitProblem = (limit: Limit) =>
    readLimit(limit, form[limit]) === 'wrong' ? t('plugins.form.number', LIMIT_RANGE[limit]) : undefined
  const told = (field: keyof typeof wrong) =>
    (isChecked ? wrong[field] : undefined) ?? fieldProblem(save.error, field)

  const submit = () => {
    setChecked(true)
    if (Object.values(wrong).some(Boolean) || LIMITS.some(limitProblem)) return
    const limits = Object.fromEntries(
      LIMITS.map((limit) => [limit, readLimit(limit, form[limit])]).filter(
        ([, value]) => value !== undefined,
      ),
    ) as Partial<Record<Limit, number>>
    save.mutate(
      {
        params: { pluginId: form.pluginId },
        body: { title: form.title.trim(), endpoint: form.endpoint, enabled: form.enabled, ...limits },
      },
      {
        onSuccess: (saved) => {
          showToast({ text: t('plugins.form.saved', { plugin: saved.title }) })
          onClose()
          if (plugin === null) void navigate(paths.plugin(saved.pluginId))
        },
      },
    )
  }

  return (
    <RegistrationDialog
      title={plugin ? t('plugins.form.title.edit', { plugin: plugin.title }) : t('plugins.form.title.new')}
      description={t('plugins.form.about')}
      submit={t(plugin ? 'common.save' : 'plugins.form.register')}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {plugin === null && (
        <LineField
          kind="key"
          label={t('plugins.form.id')}
          help={t('plugins.form.id.help')}
          error={told('pluginId')}
          maxLength={128}
          value={form.pluginId}
          onChange={(pluginId) => change({ pluginId })}
        />
      )}
      <LineField
        kind="words"
        label={t('plugins.form.name')}
        error={told('title')}
        maxLength={200}
        value={form.title}
        onChange={(title) => change({ title })}
      />
      <LineField
        kind="address"
        label={t('plugins.form.endpoint')}
        help={t('plugins.form.endpoint.help')}
        error={told('endpoint')}
        maxLength={2048}
        value={form.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <EnabledField
        label={t('plugins.form.enabled')}
        meaning={t('plugins.disabled.meaning')}
        enabled={form.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      <fieldset>
        <legend className="font-medium">{t('plugins.form.limits')}</legend>
        <p className="mb-2 text-xs text-faint">{t('plugins.form.limits.help')}</p>
        <div className="grid gap-3 sm:grid-cols-3">
          {LIMITS.map((limit) => (
            <Field
              key={limit}
              label={<span className="font-normal">{t(`plugins.form.${limit}`)}</span>}
              help={t('plugins.form.range', LIMIT_RANGE[limit])}
              error={limitProblem(limit) ?? fieldProblem(save.error, limit)}
            >
              {(wiring) => (
                <NumberInput
                  {...wiring}
                  value={form[limit]}
                  onChange={(event) => change({ [limit]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
      </fieldset>
    </RegistrationDialog>
  )
}

function formOf(plugin: Plugin | null): Form {
  const text = (limit: Limit) => (plugin?.[limit] === undefined ? '' : String(plugin[limit]))
  return {
    pluginId: plugin?.pluginId ?? '',
    title: plugin?.title ?? '',
    endpoint: plugin?.endpoint ?? '',
    enabled: plugin?.enabled ?? true,
    timeoutMs: text('timeoutMs'),
    maxAttempts: text('maxAttempts'),
    maxBackoffMs: text('maxBackoffMs'),
  }
}
