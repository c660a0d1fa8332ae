import { useMemo } from 'react'
import { useFormState, useWatch } from 'react-hook-form'
import type { PluginCheckReport } from '#contract/protocol/plugin-check-report.ts'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../../api/write.ts'
import { JsonFileChoice } from '../../../forms/json/JsonFileChoice.tsx'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { TextAreaField } from '../../../forms/fields/TextAreaField.tsx'
import { FormDialog } from '../../../forms/dialogs/FormDialog.tsx'
import { reasonIn, useZodForm } from '../../../forms/form/use-zod-form.ts'
import { fieldOfRequest } from '../../../forms/form/server-errors.ts'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { showToast } from '../../../ui/toast.ts'
import { readReport, reportSchema, versionOf, withoutExchanges } from './report-form.ts'

/** Takes the JSON report of plugin-check, pasted or from a file. */
export function UploadReport({ plugin, onClose }: { plugin: Plugin; onClose: () => void }) {
  const t = useText()
  const { pluginId, version: registered } = plugin
  const schema = useMemo(() => reportSchema(registered, t), [registered, t])
  const form = useZodForm(schema, { defaultValues: { report: '', reason: '' }, mode: 'onChange' })
  const { control } = form
  const text = useWatch({ control, name: 'report' })
  const problem = useFormState({ control }).errors.report?.message
  const version = useMemo(() => versionOf(readReport(text).value, registered), [text, registered])
  const upload = useWrite('PUT /plugins/{pluginId}/reports/{version}', {
    invalidates: [
      'GET /plugins',
      'GET /plugins/{pluginId}',
      'GET /plugins/{pluginId}/reports',
      'GET /plugins/{pluginId}/reports/{version}',
    ],
  })
  const submit = useSubmit(
    form,
    async ({ report, reason }) => {
      const parsed = readReport(report).value
      const target = versionOf(parsed, registered)
      if (target === null) return
      // the runtime checks it
      const body = {
        report: withoutExchanges(parsed) as unknown as PluginCheckReport,
        ...reasonIn({ reason }),
      }
      await upload.mutateAsync({ params: { pluginId, version: target }, body })
      showToast({ text: t('pluginReports.form.done', { version: target }) })
      onClose()
    },
    fieldOfRequest(['report', 'reason']),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('pluginReports.form.title', { plugin: plugin.title })}
      description={t('pluginReports.form.about')}
      size="lg"
      submit={t('pluginReports.form.submit')}
      incompleteReason={text.trim() === '' ? t('pluginReports.form.empty') : problem}
      onClose={onClose}
    >
      <TextAreaField
        control={control}
        name="report"
        code
        rows={12}
        label={t('pluginReports.form.report')}
        help={
          text.trim() !== '' &&
          problem === undefined &&
          version !== null &&
          t('pluginReports.form.target', { version })
        }
        hint={
          <JsonFileChoice
            label={t('pluginReports.form.file')}
            onText={(report) => form.setValue('report', report, { shouldValidate: true, shouldDirty: true })}
          />
        }
      />
      <ReasonField control={control} />
    </FormDialog>
  )
}
