import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { propertyHelp, propertyTitle } from './property-labels.ts'

/** What a resource can be found by. */
export interface ResourceTexts {
  locator: string
  title: string
  definitions: Readonly<Record<string, PropertyDefinition>>
  /** What else its card shows, such as values. */
  others?: () => readonly string[]
}

/** The resources that show the text somewhere, in upper or lower case. */
export function foundResources<Resource extends ResourceTexts>(
  resources: readonly Resource[],
  q: string,
): readonly Resource[] {
  const words = q.toLocaleLowerCase()
  if (words === '') return resources
  return resources.filter((resource) =>
    textsOf(resource).some((text) => text.toLocaleLowerCase().includes(words)),
  )
}

const textsOf = ({ locator, title, definitions, others }: ResourceTexts): string[] => [
  locator,
  title,
  ...(others?.() ?? []),
  ...Object.entries(definitions).flatMap(([name, definition]) => [
    name,
    propertyTitle(definition, name),
    propertyHelp(definition),
    definition.group ?? '',
  ]),
]
