import { useFieldArray, type Control } from 'react-hook-form'
import { LINK_PLACEHOLDERS, RUNBOOKS_MAX } from '#contract/console-api/vocabulary.ts'
import { TextAreaField } from '../../forms/fields/TextAreaField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { NO_RUNBOOK, type PluginForm } from './plugin-form.ts'

/** What to do about each error code of a plugin: a text, the address of a page, and who is responsible. */
export function RunbookFields({ control }: { control: Control<PluginForm> }) {
  const t = useText()
  const busy = useFormBusy()
  const { fields, append, remove } = useFieldArray({ control, name: 'runbooks' })
  return (
    <fieldset>
      <legend className="font-medium">{t('plugins.form.runbooks')}</legend>
      <p className="mb-2 text-xs text-faint">{t('plugins.form.runbooks.help')}</p>
      {fields.length > 0 && (
        <ol className="mb-2 space-y-3">
          {fields.map((field, index) => (
            <li key={field.id}>
              <fieldset className="space-y-3 rounded-md border border-line p-3">
                <legend className="sr-only">{t('plugins.form.runbook', { n: index + 1 })}</legend>
                <div className="grid gap-3 sm:grid-cols-2">
                  <TextField
                    control={control}
                    name={`runbooks.${index}.errorCode`}
                    kind="key"
                    label={t('plugins.form.runbook.errorCode')}
                    maxLength={128}
                  />
                  <TextField
                    control={control}
                    name={`runbooks.${index}.title`}
                    label={t('plugins.form.runbook.title')}
                    maxLength={200}
                  />
                </div>
                <TextField
                  control={control}
                  name={`runbooks.${index}.url`}
                  kind="address"
                  label={t('plugins.form.runbook.url')}
                  help={t('plugins.form.runbook.url.help')}
                  maxLength={2048}
                />
                <TextAreaField
                  control={control}
                  name={`runbooks.${index}.text`}
                  label={t('plugins.form.runbook.text')}
                  rows={3}
                  maxLength={2000}
                />
                <div className="grid gap-3 sm:grid-cols-2">
                  <TextField
                    control={control}
                    name={`runbooks.${index}.ownerTeam`}
                    label={t('plugins.form.runbook.ownerTeam')}
                    maxLength={200}
                  />
                  <TextField
                    control={control}
                    name={`runbooks.${index}.ownerContact`}
                    kind="address"
                    label={t('plugins.form.ownerContact')}
                    maxLength={2048}
                  />
                </div>
                <Button size="sm" variant="quiet" icon="close" busy={busy} onClick={() => remove(index)}>
                  {t('plugins.form.runbook.remove', { n: index + 1 })}
                </Button>
              </fieldset>
            </li>
          ))}
        </ol>
      )}
      <Button
        size="sm"
        icon="plus"
        busy={busy}
        disabledReason={
          fields.length >= RUNBOOKS_MAX ? t('plugins.form.runbook.most', { n: RUNBOOKS_MAX }) : null
        }
        onClick={() => append(NO_RUNBOOK)}
      >
        {t('plugins.form.runbook.add')}
      </Button>
    </fieldset>
  )
}

/** Where the logs and the traces of a plugin are. */
export function LinkFields({ control }: { control: Control<PluginForm> }) {
  const t = useText()
  return (
    <fieldset>
      <legend className="font-medium">{t('plugins.form.links')}</legend>
      <p className="mb-2 text-xs text-faint">
        {t('plugins.form.links.help')}{' '}
        <span className="mono">{LINK_PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}</span>
      </p>
      <div className="grid gap-3">
        {(['logsLink', 'tracesLink'] as const).map((name) => (
          <TextField
            key={name}
            control={control}
            name={name}
            kind="address"
            label={<span className="font-normal">{t(`plugins.form.${name}`)}</span>}
            maxLength={2048}
          />
        ))}
      </div>
    </fieldset>
  )
}
