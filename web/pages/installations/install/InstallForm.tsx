import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../../api/query.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import { useErrorView } from '../../../components/describe-code.ts'
import type { Manifest } from '../../../components/manifest/writers.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { Section } from '../../../ui/Card.tsx'
import { LinkButton } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { OperationForm } from '../form/OperationForm.tsx'
import { PropertyForm } from '../form/PropertyForm.tsx'
import { changesOf, installForm, type Copied } from '../form/property-form.ts'
import { SubmitPart } from '../form/SubmitPart.tsx'
import { useOperationStart } from '../form/use-operation-start.ts'
import { usePropertyEdits } from '../form/use-property-edits.ts'

const NO_SCOPE: Scope = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }

/** The values of an install, and the button; then it leads to the operation. */
export function InstallForm({
  manifest,
  scope,
  copy,
}: {
  manifest: Manifest
  scope: Scope | null
  copy: { bundleInstallId: string; last: Copied; isRefused: boolean } | null
}) {
  const t = useText()
  const last = copy?.last ?? null
  const form = useMemo(() => installForm(manifest, last), [manifest, last])
  const values = usePropertyEdits()
  const [reason, setReason] = useState('')
  const start = useOperationStart(form, values)
  const may = useMay('installation:install', scope ?? 'anywhere')
  const standing = useStanding(scope, manifest)
  const install = useWrite('POST /installations', {
    outdates: ['GET /installations', 'GET /operations', 'GET /scopes'],
  })
  const error = useErrorView(install.error)

  const submit = () => {
    if (scope === null) return
    if (!start.check()) return
    const properties = changesOf(form, values.edits)
    install.mutate(
      {
        body: {
          scope,
          bundle: manifest.bundle,
          targetVersion: manifest.version,
          ...(Object.keys(properties).length > 0 && { properties }),
          ...(copy && { copyFrom: { bundleInstallId: copy.bundleInstallId } }),
          ...(reason.trim() !== '' && { reason: reason.trim() }),
        },
      },
      start.answers,
    )
  }
  const fields = form.reduce((sum, resource) => sum + resource.fields.length, 0)

  return (
    <OperationForm onSubmit={submit}>
      <Section
        title={t('installations.install.values')}
        description={t(
          fields === 0
            ? 'installations.install.values.none'
            : copy
              ? 'installations.install.values.copy'
              : 'installations.install.values.about',
        )}
        flush
      >
        <PropertyForm
          form={form}
          values={values}
          scope={scope ?? NO_SCOPE}
          fold
          readOnly={install.isPending}
        />
      </Section>
      {standing && (
        <Notice
          tone="warn"
          actions={
            <LinkButton size="sm" to={paths.installation(standing)}>
              {t('installations.install.exists.open')}
            </LinkButton>
          }
        >
          {t('installations.install.exists')}
        </Notice>
      )}
      <SubmitPart
        reasonLabel={t('installations.install.reason')}
        reason={reason}
        onReason={setReason}
        wrong={values.countWrong(form)}
        error={error}
        others={start.others}
        submit={t('installations.install.submit', { version: `${manifest.title} ${manifest.version}` })}
        busy={install.isPending}
        disabledReason={
          (scope === null && t('installations.install.incomplete')) ||
          (!may && t('installations.reason.permission.install')) ||
          (copy?.isRefused === true && t('installations.copy.otherBundle')) ||
          (standing !== null && t('installations.install.exists'))
        }
        cancel={paths.installations()}
      />
    </OperationForm>
  )
}

/** The installation of the bundle that stands in the scope already, if there is one: a second is refused. */
function useStanding(scope: Scope | null, { bundle }: Manifest): string | null {
  const { data } = useQuery({
    ...apiQuery('GET /installations', {
      query: { ...(scope ?? NO_SCOPE), bundleId: bundle.bundleId, state: 'NOT_INSTALLED,ACTIVE', limit: 10 },
    }),
    enabled: scope !== null,
  })
  const found = data?.items.find(
    ({ installation }) => installation.bundle.environmentKey === bundle.environmentKey,
  )
  return scope === null ? null : (found?.installation.bundleInstallId ?? null)
}
