import type { Field } from './bundle.ts'
import type { Edit } from './model.ts'
import type { FieldView } from './read-page.ts'
import type { Tab } from './tab.ts'
import { contentOf, meansSame, type Content } from './values.ts'

/**
 * Records an edit as the person sees it. `from` is what the field may have shown before, `first` the snapshot that the
 * page showed before the gesture, and `version` the one after it.
 */
export function remember(
  tab: Tab,
  field: Field,
  {
    now,
    from,
    first,
    version,
    isRemoved,
  }: { now: FieldView; from: readonly Content[]; first: number; version: number; isRemoved: boolean },
): void {
  const { model } = tab
  const known = model.edit(tab.index, field)
  const continues = known !== undefined && from.some((start) => meansSame(field.kind, start, known.content))
  const before = continues ? known : undefined
  const isFrom = (value: Edit['seen'][number]) =>
    from.some((start) => meansSame(field.kind, start, contentOf(field.kind, value)))
  const all = model.history.since(field.property, 0).map(({ value }) => value)
  const mine: Edit = {
    content: now.content,
    isRemoved,
    seen: before?.seen ?? all.filter(isFrom),
    bases: before?.bases ?? all.filter(isFrom),
    seenVersion: before?.seenVersion ?? version,
    // the page may have shown a newer snapshot since the key press
    typedVersion: first,
    savedSince: null,
  }
  if (before?.savedSince !== null && before !== undefined)
    mine.seenVersion = Math.max(before.seenVersion, before.savedSince)
  model.set(tab.index, field, mine)
  model.note(field, mine)
}
