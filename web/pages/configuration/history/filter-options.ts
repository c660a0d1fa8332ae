import type { Configuration } from '#contract/console-api/shapes.ts'
import { definitionOf, propertyNames } from '../draft/outline.ts'
import { propertyTitle, resourceTitle } from '../../../forms/property/property-labels.ts'
import { compareText } from '../../../i18n/compare-text.ts'

interface Option {
  value: string
  label: string
}

/** The resources of a scope, by title. A chosen one that the scope no longer has stays an option. */
export function resourceOptions({ resources }: Configuration, chosen: string | undefined): Option[] {
  const options = Object.entries(resources).map(([locator, resource]) => ({
    value: locator,
    label: resourceTitle(resource, locator),
  }))
  return sorted(withChosen(options, chosen, (locator) => resourceTitle(undefined, locator)))
}

/**
 * The properties of a resource, or of all resources of the scope, by title. Where a title does not identify the property,
 * its name follows. A chosen one that no longer exists stays an option.
 */
export function propertyOptions(
  { resources }: Configuration,
  locator: string | undefined,
  chosen: string | undefined,
): Option[] {
  const titles = new Map<string, string>()
  const ambiguous = new Set<string>()
  const namesOfTitle = new Map<string, string>()
  const searched = locator === undefined ? Object.values(resources) : [resources[locator]]
  for (const resource of searched) {
    if (resource === undefined) continue
    for (const name of propertyNames(resource)) {
      const title = propertyTitle(definitionOf(resource, name), name)
      const first = titles.get(name) ?? title
      titles.set(name, first)
      if (first !== title) ambiguous.add(name)
      const other = namesOfTitle.get(title) ?? name
      namesOfTitle.set(title, other)
      if (other !== name) ambiguous.add(name).add(other)
    }
  }
  const options = [...titles].map(([name, title]) => ({
    value: name,
    label: ambiguous.has(name) ? `${title} · ${name}` : title,
  }))
  return sorted(withChosen(options, chosen, (name) => propertyTitle(undefined, name)))
}

function withChosen(
  options: Option[],
  chosen: string | undefined,
  labelOf: (value: string) => string,
): Option[] {
  const isKnown = chosen === undefined || options.some(({ value }) => value === chosen)
  return isKnown ? options : [...options, { value: chosen, label: labelOf(chosen) }]
}

const sorted = (options: readonly Option[]): Option[] =>
  options.toSorted((one, other) => compareText(one.label, other.label))
