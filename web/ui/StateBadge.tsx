import { inLowerCase } from '../i18n/punctuation.ts'
import { useRichText, useText } from '../i18n/use-text.ts'
import { Badge, type BadgeLook } from './Badge.tsx'
import {
  claimLook,
  installationLook,
  operationLook,
  stepLook,
  type Appearance,
  type ClaimState,
  type InstallationState,
  type OperationState,
  type OperationType,
  type StepState,
} from './states.ts'
import { Tooltip } from './Tooltip.tsx'

type Look = { look?: BadgeLook; className?: string | undefined }

export function OperationBadge({ state, ...rest }: { state: OperationState } & Look) {
  return <Explained appearance={operationLook[state]} {...rest} />
}

export function InstallationBadge({ state, ...rest }: { state: InstallationState } & Look) {
  return <Explained appearance={installationLook[state]} {...rest} />
}

export function StepBadge({ state, look = 'pill', className }: { state: StepState } & Look) {
  const t = useText()
  const { tone, icon, word } = stepLook[state]
  return (
    <Badge tone={tone} icon={icon} look={look} className={className}>
      {t(word)}
    </Badge>
  )
}

/** The operation that has locked the installation, and its state. */
export function ClaimBadge({
  claim,
  brief = false,
  look = 'plain',
  className,
}: {
  claim: { operationType: OperationType; state: ClaimState }
  /** Only the state of the operation, where there is no room for its type. */
  brief?: boolean
} & Look) {
  const t = useText()
  const rich = useRichText()
  const { tone, icon, meaning } = claimLook[claim.state]
  return (
    <Tooltip text={t(meaning)}>
      {(target) => (
        <Badge {...target} tone={tone} icon={icon} look={look} className={className}>
          {brief
            ? t(`vocabulary.operation.${claim.state}`)
            : rich('vocabulary.lock.by', {
                type: <span className="font-medium">{t(`vocabulary.type.${claim.operationType}`)}</span>,
                state: inLowerCase(t(`vocabulary.operation.${claim.state}`)),
              })}
        </Badge>
      )}
    </Tooltip>
  )
}

function Explained({ appearance, look = 'plain', className }: { appearance: Appearance } & Look) {
  const t = useText()
  return (
    <Tooltip text={t(appearance.meaning)}>
      {(target) => (
        <Badge {...target} tone={appearance.tone} icon={appearance.icon} look={look} className={className}>
          {t(appearance.word)}
        </Badge>
      )}
    </Tooltip>
  )
}

/** Whether a registration is enabled; a tooltip explains what that means. */
export function EnabledBadge({
  enabled,
  word,
  meaning,
  look = 'plain',
}: {
  enabled: boolean
  word: string
  meaning: string
  look?: BadgeLook
}) {
  return (
    <Tooltip text={meaning}>
      {(target) => (
        <Badge {...target} tone={enabled ? 'ok' : 'quiet'} icon={enabled ? 'done' : 'nothing'} look={look}>
          {word}
        </Badge>
      )}
    </Tooltip>
  )
}
