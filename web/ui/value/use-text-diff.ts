import { useEffect, useMemo, useState } from 'react'
import { loadWithRetry } from '../../base/load-with-retry.ts'
import type { Spans, TextSpan } from './text-diff.ts'

type WordSpans = (before: string, after: string) => Spans

// the library of the text diff is not part of the first paint
let loaded: { wordSpans: WordSpans } | undefined
const load = async (): Promise<void> => {
  loaded = await import('./text-diff.ts')
}

/** The spans of a text beside the other side of its change. Until the diff has loaded, the text is one. */
export function useWordSpans(text: string, other: string): readonly TextSpan[] {
  const isChange = text !== other
  const [diff, setDiff] = useState(loaded)
  useEffect(() => {
    if (!isChange || diff !== undefined) return undefined
    let isWanted = true
    // without it nothing is marked
    loadWithRetry(load).then(
      () => isWanted && setDiff(loaded),
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [isChange, diff])
  return useMemo(
    () =>
      isChange && diff !== undefined
        ? diff.wordSpans(other, text).after
        : [{ from: 0, to: text.length, isChanged: false }],
    [isChange, diff, text, other],
  )
}
