import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { parseJson } from '../../forms/parse-json.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { TextArea } from '../../ui/TextInput.tsx'
import { showToast } from '../../ui/toast.ts'
import { ManifestProblems } from './ManifestProblems.tsx'

type Target = { environmentKey: string; bundleId: string; version: string }

/** A manifest, pasted or from a file, and what is wrong with it, place by place. */
export function PublishDialog({ onClose }: { onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const publish = useWrite('PUT /bundles/{environmentKey}/{bundleId}/versions/{version}', {
    outdates: ['GET /bundles', 'GET /bundles/{environmentKey}/{bundleId}/versions'],
  })
  const error = useErrorView(publish.error)
  const manifest = parseJson(text)
  const target = targetOf(manifest)
  const may = useMay('catalog:write', target ? { environmentKey: target.environmentKey } : 'anywhere')
  const problem =
    text.trim() === ''
      ? null
      : manifest === undefined
        ? t('catalog.publish.notJson')
        : target === null
          ? t('catalog.publish.noName')
          : may
            ? null
            : t('catalog.publish.mayNot', { environment: target.environmentKey })

  const change = (next: string) => {
    setText(next)
    publish.reset()
  }
  const submit = () => {
    if (target === null || problem !== null) return
    const { environmentKey: env, bundleId: bundle, version } = target
    publish.mutate(
      // whatever else it is, the runtime says: it checks the whole of it
      { params: target, body: manifest as unknown as AuthorManifest },
      {
        onSuccess: ({ title }) => {
          showToast({ text: t('catalog.publish.done', { bundle: title, version }) })
          onClose()
          void navigate(paths.bundleVersion({ env, bundle, version }))
        },
      },
    )
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t('catalog.publish.title')}
      description={t('catalog.publish.about')}
      size="lg"
      busy={publish.isPending}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            variant="primary"
            busy={publish.isPending}
            disabledReason={text.trim() === '' ? t('catalog.publish.noName') : problem}
            onClick={submit}
          >
            {t('catalog.publish.submit')}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <Field
          label={t('catalog.publish.manifest')}
          error={problem}
          help={
            target &&
            problem === null &&
            t('catalog.publish.target', {
              bundle: `${target.environmentKey}/${target.bundleId}`,
              version: target.version,
            })
          }
          hint={<FileChoice onText={change} />}
        >
          {(wiring) => (
            <TextArea
              {...wiring}
              code
              rows={14}
              value={text}
              onChange={(event) => change(event.target.value)}
            />
          )}
        </Field>
        {error && <ErrorState error={error} />}
        <ManifestProblems details={publish.error?.problem.details ?? []} />
      </div>
    </Dialog>
  )
}

function FileChoice({ onText }: { onText: (text: string) => void }) {
  const t = useText()
  return (
    <label className="cursor-pointer rounded-sm font-medium text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent hover:underline">
      {t('catalog.publish.upload')}
      <input
        type="file"
        accept=".json,application/json"
        className="sr-only"
        onChange={(event) => {
          void event.target.files?.[0]?.text().then(onText)
          // the same file again, mended, is a choice too
          event.target.value = ''
        }}
      />
    </label>
  )
}

/** Where a manifest says that it belongs; null where it does not say it in a way that an address could hold. */
function targetOf(manifest: unknown): Target | null {
  const bundle = field(manifest, 'bundle')
  const environmentKey = field(bundle, 'environmentKey')
  const bundleId = field(bundle, 'bundleId')
  const version = field(manifest, 'version')
  return isName(environmentKey) && isName(bundleId) && isName(version)
    ? { environmentKey, bundleId, version }
    : null
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

const isName = (value: unknown): value is string => typeof value === 'string' && isKey(value)
