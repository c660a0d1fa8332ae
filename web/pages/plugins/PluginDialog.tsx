import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { useWrite } from '../../api/write.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { isAddress } from '../../components/address.ts'
import { fieldProblem } from '../../components/field-problem.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Switch } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { NumberInput, TextInput } from '../../ui/TextInput.tsx'
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
  const isAtFields = (save.error?.problem.details ?? []).length > 0
  const error = useErrorView(isAtFields ? null : save.error)
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
    <Dialog
      open
      onClose={onClose}
      busy={save.isPending}
      title={plugin ? t('plugins.form.title.edit', { plugin: plugin.title }) : t('plugins.form.title.new')}
      description={t('plugins.form.about')}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button variant="primary" type="submit" form="plugin-form" busy={save.isPending}>
            {t(plugin ? 'common.save' : 'plugins.form.register')}
          </Button>
        </>
      }
    >
      <form
        id="plugin-form"
        noValidate
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {plugin === null && (
          <Field label={t('plugins.form.id')} help={t('plugins.form.id.help')} error={told('pluginId')}>
            {(wiring) => (
              <TextInput
                {...wiring}
                code
                maxLength={128}
                value={form.pluginId}
                onChange={(event) => change({ pluginId: event.target.value.trim() })}
              />
            )}
          </Field>
        )}
        <Field label={t('plugins.form.name')} error={told('title')}>
          {(wiring) => (
            <TextInput
              {...wiring}
              maxLength={200}
              value={form.title}
              onChange={(event) => change({ title: event.target.value })}
            />
          )}
        </Field>
        <Field
          label={t('plugins.form.endpoint')}
          help={t('plugins.form.endpoint.help')}
          error={told('endpoint')}
        >
          {(wiring) => (
            <TextInput
              {...wiring}
              code
              inputMode="url"
              maxLength={2048}
              value={form.endpoint}
              onChange={(event) => change({ endpoint: event.target.value.trim() })}
            />
          )}
        </Field>
        <Switch checked={form.enabled} onChange={(event) => change({ enabled: event.target.checked })}>
          <span className="font-medium">{t('plugins.form.enabled')}</span>
          {!form.enabled && <span className="block text-xs text-muted">{t('plugins.disabled.meaning')}</span>}
        </Switch>
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
        {error && <ErrorState error={error} />}
      </form>
    </Dialog>
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
