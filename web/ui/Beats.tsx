import { useText } from '../i18n/use-text.ts'
import { cx } from './class-names.ts'
import { PHASES, type Phase } from './states.ts'
import type { Tone } from './tone.ts'
import { Tooltip } from './Tooltip.tsx'

/** The three parts of the mark, 21 px wide; each lies in a third of the width. */
const MARK = 'path("M1 0h5v2H3v8h3v2H1zM8 3h5v6H8zM15 0h5v12h-5v-2h3V2h-3z")'

/** Written as a variable, because a single element has the three colors; lists have hundreds of rows. */
const COLORS: Record<Tone, string> = {
  ok: 'var(--ok)',
  fail: 'var(--fail)',
  doubt: 'var(--doubt)',
  live: 'var(--live)',
  moved: 'var(--moved)',
  quiet: 'var(--quiet)',
}
const NOT_REACHED = 'var(--line-strong)'

/**
 * How far an operation is, as the three beats of the mark: what is done, where it is or stopped, and what it has not reached.
 *
 * @param tone Of where it is or stopped.
 */
export function Beats({ phase, tone, className }: { phase: Phase; tone: Tone; className?: string }) {
  const t = useText()
  const at = PHASES.indexOf(phase)
  const stage = t(`vocabulary.phase.${phase}`)
  const colorOf = (beat: number) => (beat < at ? COLORS.ok : beat > at ? NOT_REACHED : COLORS[tone])
  return (
    <Tooltip text={phase === 'DONE' ? t('vocabulary.beats.done') : t('vocabulary.beats', { stage })}>
      {(target) => (
        <span
          {...target}
          role="img"
          aria-label={stage}
          // its colors are its meaning, also where the system forces others
          className={cx(
            'inline-block h-3 w-[21px] shrink-0 forced-color-adjust-none',
            tone === 'live' && 'animate-breathe',
            className,
          )}
          style={{
            clipPath: MARK,
            background: `linear-gradient(to right, ${colorOf(0)} 7px, ${colorOf(1)} 7px 14px, ${colorOf(2)} 14px)`,
          }}
        />
      )}
    </Tooltip>
  )
}
