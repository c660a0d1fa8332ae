import { useMemo, useState } from 'react'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import { useErrorView } from '../../../components/describe-code.ts'
import type { Manifest } from '../../../components/manifest/writers.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Section } from '../../../ui/Card.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { whyNotNow } from '../detail/allowed.ts'
import { OperationForm } from '../form/OperationForm.tsx'
import { PropertyForm } from '../form/PropertyForm.tsx'
import { changesOf, upgradeForm } from '../form/property-form.ts'
import { SubmitPart } from '../form/SubmitPart.tsx'
import { useOperationStart } from '../form/use-operation-start.ts'
import { usePropertyEdits } from '../form/use-property-edits.ts'

/** The values that the target asks for, and the button; then it leads to the operation. */
export function UpgradeForm({ detail, manifest }: { detail: InstallationDetail; manifest: Manifest }) {
  const t = useText()
  const { installation, snapshotVersion } = detail
  const form = useMemo(() => upgradeForm(manifest, detail.resources), [manifest, detail.resources])
  const values = usePropertyEdits()
  const [reason, setReason] = useState('')
  const start = useOperationStart(form, values)
  const [base, setBase] = useState(snapshotVersion)
  // nothing was edited from the old one, so nothing is lost by going on
  if (values.edits.size === 0 && base !== snapshotVersion) setBase(snapshotVersion)
  const isStale = values.edits.size > 0 && base !== snapshotVersion

  const may = useMay('installation:upgrade', installation)
  const notNow = whyNotNow(detail)
  const upgrade = useWrite('POST /installations/{bundleInstallId}/upgrade', {
    outdates: ['GET /installations', 'GET /installations/{bundleInstallId}', 'GET /operations'],
  })
  const error = useErrorView(upgrade.error)

  const submit = () => {
    if (!start.check()) return
    const properties = changesOf(form, values.edits)
    const brings = Object.keys(properties).length > 0
    upgrade.mutate(
      {
        params: { bundleInstallId: installation.bundleInstallId },
        body: {
          targetVersion: manifest.version,
          ...(brings && { properties, snapshotVersion: base }),
          ...(reason.trim() !== '' && { reason: reason.trim() }),
        },
      },
      start.answers,
    )
  }

  return (
    <OperationForm onSubmit={submit}>
      <Section
        title={t('installations.upgrade.values')}
        description={t(
          form.length === 0 ? 'installations.upgrade.values.none' : 'installations.upgrade.values.about',
        )}
        flush
      >
        {form.length > 0 && (
          <PropertyForm
            form={form}
            values={values}
            scope={scopeOf(detail)}
            fold={false}
            readOnly={upgrade.isPending}
          />
        )}
      </Section>
      {isStale && (
        <Notice
          tone="warn"
          live
          title={t('installations.upgrade.stale.title')}
          actions={
            <Button
              size="sm"
              onClick={() => {
                setBase(snapshotVersion)
                upgrade.reset()
              }}
            >
              {t('installations.upgrade.stale.take', { snapshot: String(snapshotVersion) })}
            </Button>
          }
        >
          {t('installations.upgrade.stale.text', { snapshot: String(snapshotVersion), base: String(base) })}
        </Notice>
      )}
      <SubmitPart
        reasonLabel={t('installations.upgrade.reason')}
        reason={reason}
        onReason={setReason}
        wrong={values.countWrong(form)}
        error={error}
        others={start.others}
        submit={t('installations.upgrade.submit', { version: manifest.version })}
        busy={upgrade.isPending}
        disabledReason={
          (!may && t('installations.reason.permission.upgrade')) ||
          (notNow && t(notNow)) ||
          (isStale && t('installations.upgrade.stale.title'))
        }
        cancel={paths.installation(installation.bundleInstallId)}
      />
    </OperationForm>
  )
}

function scopeOf({ installation }: InstallationDetail) {
  const { environmentKey, applicationRuntimeId, workspaceId } = installation
  return { environmentKey, applicationRuntimeId, workspaceId }
}
