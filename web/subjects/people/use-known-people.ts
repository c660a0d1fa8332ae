import { useState } from 'react'
import type { Person } from '#contract/console-api/shapes.ts'
import { compareText } from '../../i18n/compare-text.ts'
import { useIsOpening } from '../../ui/opening.ts'

/**
 * The people to choose from in a filter, by name: those of the rows that are shown or were shown before on this page. A
 * list that is filtered by one person still offers the others.
 */
export function useKnownPeople(shown: readonly Person[]): readonly Person[] {
  const [known, setKnown] = useState<ReadonlyMap<string, Person>>(new Map())
  // one name for each person: rows keep the name of their time
  const named = new Map(shown.map((person) => [person.id, person]))
  const isNew = [...named.values()].some(({ id, name }) => known.get(id)?.name !== name)
  const all = isNew ? new Map([...known, ...named]) : known
  // a derived state: the next render has it
  if (isNew) setKnown(all)
  const people = [...all.values()]
  // nobody sees the order before a filter opens, and the first comparison of a page takes as long as rendering its list
  return useIsOpening() ? people : people.toSorted((one, other) => compareText(one.name, other.name))
}

/** The options of a filter by person. A person who is not known yet is shown by id. */
export function personOptions(
  people: readonly Person[],
  chosen: string | undefined,
): { value: string; label: string }[] {
  const options = people.map(({ id, name }) => ({ value: id, label: name }))
  const isKnown = chosen === undefined || people.some(({ id }) => id === chosen)
  return isKnown ? options : [...options, { value: chosen, label: chosen }]
}
