import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useFormState, useWatch } from 'react-hook-form'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { useWrite } from '../../api/write.ts'
import { JsonField } from '../../forms/fields/JsonField.tsx'
import { JsonFileChoice } from '../../forms/json/JsonFileChoice.tsx'
import { parseJson } from '../../forms/json/parse-json.ts'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { translateError } from '../../forms/property/translate-error.ts'
import { useText } from '../../i18n/use-text.ts'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { paths } from '../../addresses/paths.ts'
import { showToast } from '../../ui/toast.ts'
import { publishSchema, targetOf } from './publish-form.ts'

/** Takes a manifest, pasted or from a file, and shows each error at its place. */
export function PublishDialog({ onClose }: { onClose: () => void }) {
  const t = useText()
  const { can } = useShell()
  const navigate = useNavigate()
  const schema = useMemo(
    () => publishSchema((environmentKey) => can('catalog:write', { environmentKey }), t),
    [can, t],
  )
  const form = useZodForm(schema, { defaultValues: { manifest: '' }, mode: 'onChange' })
  const { control } = form
  const text = useWatch({ control, name: 'manifest' })
  const problem = useFormState({ control }).errors.manifest?.message
  const target = useMemo(() => targetOf(parseJson(text)), [text])
  const publish = useWrite('PUT /bundles/{environmentKey}/{bundleId}/versions/{version}', {
    invalidates: [
      'GET /bundles',
      'GET /bundles/{environmentKey}/{bundleId}/versions',
      // they show which upgrades are available
      'GET /installations',
      'GET /installations/{bundleInstallId}',
      'GET /installed-versions',
      'GET /installed-versions/scopes',
    ],
  })
  const [sent, setSent] = useState('')
  const submit = useSubmit(
    form,
    async ({ manifest }) => {
      setSent(manifest)
      const body = parseJson(manifest)
      const params = targetOf(body)
      if (params === null) return
      // the schema has checked that it names its bundle and version; the runtime checks the rest
      const { title } = await publish.mutateAsync({ params, body: body as unknown as AuthorManifest })
      const { environmentKey: env, bundleId: bundle, version } = params
      showToast({ text: t('catalog.publish.done', { bundle: title, version }) })
      onClose()
      void navigate(paths.bundleVersion({ env, bundle, version }))
    },
    () => null,
  )
  const details = submit.error?.unplaced
  const refused = useMemo(
    () =>
      text === sent
        ? details?.map(({ path = '', ...detail }) => ({ path, message: translateError(detail, t) }))
        : [],
    [details, sent, text, t],
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('catalog.publish.title')}
      description={t('catalog.publish.about')}
      size="lg"
      submit={t('catalog.publish.submit')}
      incompleteReason={text.trim() === '' ? t('catalog.publish.noName') : problem}
      onClose={onClose}
    >
      <JsonField
        control={control}
        name="manifest"
        label={t('catalog.publish.manifest')}
        editorLabel={t('catalog.publish.manifest')}
        check={NO_PROBLEMS}
        refused={refused}
        height="tall"
        help={
          target &&
          problem === undefined &&
          t('catalog.publish.target', {
            bundle: `${target.environmentKey}/${target.bundleId}`,
            version: target.version,
          })
        }
        hint={
          <JsonFileChoice
            label={t('catalog.publish.upload')}
            onText={(manifest) =>
              form.setValue('manifest', manifest, { shouldValidate: true, shouldDirty: true })
            }
          />
        }
      />
    </FormDialog>
  )
}

/** The server checks what the form does not. */
const NO_PROBLEMS = () => []
