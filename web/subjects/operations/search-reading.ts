import type { SearchReading } from '#contract/console-api/shapes.ts'
import { formatLocalTime } from '../../i18n/format.ts'
import { joinList } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** What a person must know of how their search text was read: that words were left out, and which time it means. */
export function searchReadingText(
  { words, leftOut, since, until, phrase }: SearchReading,
  t: Translate,
): string | null {
  const quoted = (all: readonly string[]) =>
    joinList(
      t,
      all.map((word) => t('operations.search.word', { word })),
    )
  const fewer =
    leftOut.length === 0
      ? []
      : [t('operations.search.fewer', { words: quoted(words), leftOut: quoted(leftOut) })]
  const time = (at: string) => formatLocalTime(Date.parse(at))
  const span =
    phrase === null
      ? []
      : since === null
        ? [t('operations.search.until', { phrase, until: time(until ?? '') })]
        : until === null
          ? [t('operations.search.since', { phrase, since: time(since) })]
          : [t('operations.search.between', { phrase, since: time(since), until: time(until) })]
  const said = [...fewer, ...span]
  return said.length === 0 ? null : said.join(t('operations.search.join'))
}
