import { useState } from 'react'
import type { NextStep, Pause } from '#contract/console-api/shapes.ts'
import { useMay } from '../../api/session.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { useText } from '../../i18n/use-text.ts'
import { Badge, type BadgeLook } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'
import { paths } from '../../addresses/paths.ts'
import { TextLink } from '../../ui/Link.tsx'
import { WhoAndWhy } from '../people/WhoAndWhy.tsx'
import { scopeText } from '../scopes/scope-text.ts'
import { nameOfPaused } from './use-pauses.ts'

type Subject = Pause['of']

// its form checks with zod, which no list needs
const PauseDialog = lazyPart(async () => (await import('./PauseDialog.tsx')).PauseDialog)

/** Beside the state of an operation; nothing unless somebody has to resume what holds it. */
export function PausedBadge({
  operation: { nextStep },
  look = 'plain',
  className,
}: {
  operation: { nextStep: NextStep }
  look?: BadgeLook
  className?: string
}) {
  const t = useText()
  if (nextStep.action !== 'RESUME') return null
  return (
    <Tooltip text={t('pauses.meaning')}>
      {(target) => (
        <Badge {...target} tone="doubt" icon="paused" look={look} className={className}>
          {t('pauses.paused')}
        </Badge>
      )}
    </Tooltip>
  )
}

/** What is paused, by whom and why, with the button that resumes it. */
export function Pauses({ pauses, isLinked = false }: { pauses: readonly Pause[]; isLinked?: boolean }) {
  return (
    <>
      {pauses.map((pause) => (
        <PauseNotice key={keyOf(pause.of)} pause={pause} isLinked={isLinked} />
      ))}
    </>
  )
}

function PauseNotice({ pause, isLinked }: { pause: Pause; isLinked: boolean }) {
  const t = useText()
  const { of, operations } = pause
  const title = t(`pauses.title.${of.kind}`, { name: nameOfPaused(of, t) })
  return (
    <Notice
      tone="warn"
      icon="paused"
      title={isLinked ? <TextLink to={pathOf(of)}>{title}</TextLink> : title}
      actions={<PauseAction of={of} isPaused />}
    >
      <p>
        <WhoAndWhy {...pause} />
      </p>
      <p className="text-muted">{t(`pauses.holds.${of.kind}`, { n: operations })}</p>
    </Notice>
  )
}

/** Pauses something, or resumes it; nothing for those who may not. */
export function PauseAction({ of, isPaused }: { of: Subject; isPaused: boolean }) {
  const t = useText()
  const [isOpen, setOpen] = useState(false)
  const mayCall = useMay('plugin:write', 'everywhere')
  const mayRetry = useMay('operation:retry', of.kind === 'PLUGIN' ? 'anywhere' : of.scope)
  if (!(of.kind === 'PLUGIN' ? mayCall : mayRetry)) return null
  return (
    <>
      <Button
        variant={isPaused ? 'secondary' : 'quiet'}
        icon={isPaused ? 'resume' : 'paused'}
        {...PauseDialog.onIntent}
        onClick={() => setOpen(true)}
      >
        {/* in the header of a page: a phone has room for the icon only */}
        <span className={cx(!isPaused && 'max-sm:sr-only')}>
          {t(isPaused ? 'pauses.resume' : `pauses.pause.${of.kind}`)}
        </span>
      </Button>
      {isOpen && (
        <PauseDialog of={of} name={nameOfPaused(of, t)} isPaused={isPaused} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

const keyOf = (of: Subject): string =>
  of.kind === 'OPERATION' ? of.operationId : of.kind === 'SCOPE' ? scopeText(of.scope) : of.pluginId

const pathOf = (of: Subject) =>
  of.kind === 'OPERATION'
    ? paths.operation(of.operationId)
    : of.kind === 'SCOPE'
      ? paths.configuration(of.scope)
      : paths.plugin(of.pluginId)
