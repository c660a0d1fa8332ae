import { useState } from 'react'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../../../api/session.ts'
import { useText, useRichText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import type { IconName } from '../../../ui/Icon.tsx'
import { LinkButton, type LinkTarget } from '../../../ui/Link.tsx'
import { PinAction } from './Pin.tsx'
import { ProtectionAction } from './Protection.tsx'
import { unavailableReason } from './unavailable-reason.ts'
import { useWrite } from '../../../api/write.ts'
import { EndpointProbes } from '../../../subjects/plan/EndpointProbes.tsx'
import { useGate } from '../../../subjects/gate/use-gate.tsx'
import { needsSignIn, SignInAgain } from '../../../subjects/sign-in/SignInAgain.tsx'
import { PlannedCalls } from '../../../subjects/plan/PlannedCalls.tsx'
import { OperationPlanView } from '../../../subjects/plan/OperationPlanView.tsx'
import { useOperationPlan } from '../../../subjects/plan/use-operation-plan.ts'
import { needsReview, useRequestReview } from '../../../subjects/change-requests/use-request-review.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { ScopeText } from '../../../subjects/scopes/ScopeText.tsx'
import { ConfirmForm } from '../../../forms/dialogs/ConfirmForm.tsx'

/** The actions on an installation. An unavailable action shows why. */
export function Actions({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const [detaching, setDetaching] = useState(false)
  const { installation, state, successor } = detail
  // a scope has a bundle once
  const isReplaced = successor !== null && successor.state !== 'DETACHED'
  const mayConfigure = useMay('configuration:write', installation)
  const mayUpgrade = useMay('installation:upgrade', installation)
  const mayDetach = useMay('installation:detach', installation)
  const mayInstall = useMay('installation:install', installation)
  const now = unavailableReason(detail)
  const notNow = now && t(now)
  const first = detail.resources.find(({ locator }) => locator.includes('/MODULE/')) ?? detail.resources[0]
  return (
    <>
      {isReplaced ? (
        <LinkButton to={paths.installation(successor.bundleInstallId)} icon="arrowRight">
          {t(`installations.successor.${successor.state}`)}
        </LinkButton>
      ) : state === 'DETACHED' ? (
        <LinkOrReason
          icon="retry"
          to={paths.installationNew(installAgain(detail))}
          reason={!mayInstall && t('installations.reason.permission.install')}
        >
          {t('installations.installAgain')}
        </LinkOrReason>
      ) : (
        <>
          <LinkOrReason
            icon={mayConfigure ? 'edit' : 'scopes'}
            to={paths.configuration(installation, first ? { resource: first.locator } : {})}
            // a locked installation can be viewed: the editor names the operation, and unlocks when it ends
            reason={state === 'NOT_INSTALLED' && t('installations.reason.notInstalled')}
          >
            {t(mayConfigure ? 'installations.configure' : 'installations.configuration')}
          </LinkOrReason>
          <LinkOrReason
            icon="sortUp"
            to={paths.installation(installation.bundleInstallId, {
              action: 'upgrade',
              ...(detail.upgradeTo !== null && { version: detail.upgradeTo }),
            })}
            reason={!mayUpgrade ? t('installations.reason.permission.upgrade') : notNow}
          >
            {t('installations.upgrade')}
          </LinkOrReason>
          <Button
            variant="dangerQuiet"
            disabledReason={
              !mayDetach
                ? t('installations.reason.permission.detach')
                : (notNow ?? (detail.protection && t('installations.reason.protected')))
            }
            onClick={() => setDetaching(true)}
          >
            {t('installations.detach')}
          </Button>
          <ProtectionAction detail={detail} />
          <PinAction detail={detail} />
        </>
      )}
      {/* stays mounted until it has opened the operation, which may have ended by then */}
      {detaching && <DetachDialog detail={detail} onClose={() => setDetaching(false)} />}
    </>
  )
}

/** The address of a new install with the last configuration of this installation. */
function installAgain({ installation, version }: InstallationDetail) {
  const { environmentKey, applicationRuntimeId, workspaceId, bundle, bundleInstallId } = installation
  return {
    environmentKey,
    applicationRuntimeId,
    workspaceId,
    bundleEnvironmentKey: bundle.environmentKey,
    bundleId: bundle.bundleId,
    copyFrom: bundleInstallId,
    ...(version !== null && { version }),
  }
}

function LinkOrReason({
  to,
  icon,
  reason,
  children,
}: {
  to: LinkTarget
  icon: IconName
  reason: string | false | null
  children: string
}) {
  if (reason) {
    return (
      <Button icon={icon} disabledReason={reason}>
        {children}
      </Button>
    )
  }
  return (
    <LinkButton to={to} icon={icon}>
      {children}
    </LinkButton>
  )
}

/** Describes the DETACH, asks for a reason and for the bundle id, then opens the operation. */
export function DetachDialog({ detail, onClose }: { detail: InstallationDetail; onClose: () => void }) {
  const t = useText()
  const rich = useRichText()
  const navigate = useNavigate()
  const detach = useWrite('POST /installations/{bundleInstallId}/detach', {
    invalidates: ['GET /installations', 'GET /installations/{bundleInstallId}', 'GET /operations'],
  })
  const { bundleInstallId, bundle } = detail.installation
  const review = useRequestReview()
  const gate = useGate(detail.installation, 'DETACH')
  const request = { params: { bundleInstallId } }
  const planned = useOperationPlan('POST /installations/{bundleInstallId}/detach/plan', request)
  const isGuarded = needsReview(planned.plan?.problems) && !gate.isOverriding
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t('installations.detach.title', { bundle: detail.title ?? bundle.bundleId })}
      confirm={t(isGuarded ? 'changes.submit' : 'installations.detach.confirm')}
      reason={{ label: t('installations.detach.reason'), required: true }}
      word={bundle.bundleId}
      blockedReason={isGuarded ? null : gate.blocked}
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      plan={
        <OperationPlanView
          state={planned}
          isRequested={isGuarded && !gate.saysReview}
          calls={({ stages }) => (
            <>
              <PlannedCalls stages={stages} isDetach />
              <EndpointProbes stages={stages} />
            </>
          )}
        />
      }
      send={async ({ reason }) => {
        if (isGuarded) {
          const title = t('changes.title.operation', {
            kind: t('changes.kind.DETACH'),
            bundle: detail.title ?? bundle.bundleId,
            scope: scopeText(detail.installation),
          })
          await review.request(
            { kind: 'DETACH', title, reason, input: { bundleInstallId } },
            { submit: true },
          )
          return
        }
        const { operation } = await planned.send(request, (token) =>
          detach.mutateAsync({ params: { bundleInstallId }, body: { reason, ...token, ...gate.override } }),
        )
        await navigate(paths.operation(operation.operationId))
      }}
    >
      {gate.choice}
      <p>{rich('installations.detach.what', { scope: <ScopeText scope={detail.installation} /> })}</p>
      <ul className="list-disc space-y-1 pl-5">
        <li>{t('installations.detach.references')}</li>
        <li>{t('installations.detach.forever')}</li>
      </ul>
    </ConfirmForm>
  )
}
