import { useState } from 'react'
import type { LocalService } from '#contract/console-api/shapes.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Radio } from '../../ui/Checkbox.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { ValueView } from '../../ui/value/ValueView.tsx'
import type { ServiceBase } from './service-drafts.ts'
import { compareValues, isDecided, mergeServiceValues, type Difference } from './service-values.ts'

type Picks = ReadonlyMap<string, 'mine' | 'theirs'>

/** A colleague saved first: shows their changes beside mine, with a choice where both changed the same property. */
export function Conflict({
  base,
  mine,
  theirs,
  onTake,
}: {
  base: ServiceBase
  /** Null while the text is not valid. */
  mine: JsonObject | null
  theirs: LocalService
  onTake: (values: JsonObject) => void
}) {
  const t = useText()
  const rich = useRichText()
  const [picks, setPicks] = useState<Picks>(new Map())
  const differences = mine === null ? [] : compareValues(base.values, mine, theirs.values)
  const saved = { who: theirs.savedBy.name, at: <Time at={theirs.savedAt} /> }
  return (
    <Notice
      tone="warn"
      live
      title={t('localServices.conflict.title')}
      className="[&>div>div]:w-full [&>div>div]:max-w-none"
    >
      <p>
        {base.version === 0
          ? rich('localServices.conflict.text.new', saved)
          : rich('localServices.conflict.text', {
              ...saved,
              version: String(theirs.version),
              base: String(base.version),
            })}
      </p>
      {mine === null ? (
        <p className="mt-2 font-medium">{t('localServices.conflict.broken')}</p>
      ) : (
        <ul className="mt-3 divide-y divide-line rounded-md border border-line bg-surface">
          {differences.map((difference) => (
            <Row
              key={difference.name}
              difference={difference}
              pick={picks.get(difference.name)}
              onPick={(pick) => setPicks(new Map(picks).set(difference.name, pick))}
            />
          ))}
        </ul>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="primary"
          disabledReason={
            (mine === null && t('localServices.conflict.broken')) ||
            (!isDecided(differences, picks) && t('localServices.conflict.overlap'))
          }
          onClick={() => onTake(mergeServiceValues(theirs.values, differences, picks))}
        >
          {t('localServices.conflict.take', { version: String(theirs.version) })}
        </Button>
        <Button size="sm" onClick={() => onTake(theirs.values)}>
          {t('localServices.conflict.discard')}
        </Button>
      </div>
    </Notice>
  )
}

const NOTES = {
  mine: 'localServices.conflict.onlyMine',
  theirs: 'localServices.conflict.onlyTheirs',
  alike: 'localServices.conflict.both',
  overlap: 'localServices.conflict.overlap',
} as const

function Row({
  difference,
  pick,
  onPick,
}: {
  difference: Difference
  pick: 'mine' | 'theirs' | undefined
  onPick: (pick: 'mine' | 'theirs') => void
}) {
  const t = useText()
  const { name, base, mine, theirs, verdict } = difference
  const sides = [
    { side: 'theirs', label: t('localServices.conflict.theirs'), value: theirs },
    { side: 'mine', label: t('localServices.conflict.mine'), value: mine },
  ] as const
  return (
    <li className="grid gap-x-4 gap-y-1.5 px-3 py-2 sm:grid-cols-[minmax(8rem,12rem)_repeat(3,minmax(0,1fr))]">
      <div className="min-w-0">
        <span className="mono font-medium wrap-anywhere">{name}</span>
        <span
          className={
            verdict === 'overlap' ? 'block text-xs font-medium text-doubt' : 'block text-xs text-faint'
          }
        >
          {t(NOTES[verdict])}
        </span>
      </div>
      <div className="min-w-0">
        <span className="block text-xs text-faint">{t('localServices.conflict.base')}</span>
        <ValueView value={base} />
      </div>
      {sides.map(({ side, label, value }) =>
        verdict === 'overlap' ? (
          <Radio
            key={side}
            name={`pick-${name}`}
            checked={pick === side}
            onChange={() => onPick(side)}
            className="min-w-0"
          >
            <span className="block text-xs text-faint">{label}</span>
            <ValueView value={value} />
          </Radio>
        ) : (
          <div key={side} className="min-w-0">
            <span className="block text-xs text-faint">{label}</span>
            <ValueView value={value} />
          </div>
        ),
      )}
    </li>
  )
}
