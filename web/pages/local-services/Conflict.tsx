import { useState } from 'react'
import type { LocalService } from '#contract/console-api/shapes.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { mergeJson, type Side } from '#contract/json-schema/merge-json.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { plainName } from '../../ui/value/BeforeAfter.tsx'
import { LeafChoice } from '../../subjects/merge/LeafChoice.tsx'
import { MergedChanges } from '../../subjects/merge/MergedChanges.tsx'
import type { ServiceBase } from './service-drafts.ts'

/** A colleague saved first: shows their changes beside mine, with a choice for each leaf that both changed. */
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
  const [picks, setPicks] = useState<ReadonlyMap<string, Side>>(new Map())
  const sides = { base: base.values, theirs: theirs.values, mine: mine ?? base.values }
  const { value, conflicts } = mergeJson(sides, ({ path }) => picks.get(path) ?? 'mine')
  const isOpen = conflicts.some(({ path }) => !picks.has(path))
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
        <div className="mt-3 divide-y divide-line rounded-md border border-line bg-surface *:px-3 *:py-2.5">
          {conflicts.map((conflict) => (
            <div key={`${conflict.kind} ${conflict.path}`}>
              <LeafChoice
                conflict={conflict}
                place={plainName(conflict.steps, undefined)}
                chosen={picks.get(conflict.path)}
                onChoose={(side) => setPicks(new Map(picks).set(conflict.path, side))}
              />
            </div>
          ))}
          <MergedChanges
            sides={sides}
            conflicts={conflicts}
            person={theirs.savedBy.name}
            nameOf={plainName}
            title={t('configuration.conflict.joined')}
          />
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="primary"
          disabledReason={
            (mine === null && t('localServices.conflict.broken')) ||
            (isOpen && t('localServices.conflict.overlap'))
          }
          onClick={() => isJsonObject(value) && onTake(value)}
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
