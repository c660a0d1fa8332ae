import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { propertyHelp, propertyTitle } from '../../forms/property/property-labels.ts'

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
  return q === '' ? resources : resources.filter((resource) => holdsText(textsOf(resource), q))
}

/** Whether one of the texts contains `q`, in upper or lower case. */
export function holdsText(texts: readonly string[], q: string): boolean {
  const part = q.toLowerCase()
  return texts.some((text) => text.toLowerCase().includes(part))
}

/** What a property can be found by. One without a definition is left over from an earlier version. */
export const propertyTexts = (name: string, definition: PropertyDefinition | undefined): string[] =>
  definition === undefined
    ? [name]
    : [name, propertyTitle(definition, name), propertyHelp(definition), definition.group ?? '']

const textsOf = ({ locator, title, definitions, others }: ResourceTexts): string[] => [
  locator,
  title,
  ...(others?.() ?? []),
  ...Object.entries(definitions).flatMap(([name, definition]) => propertyTexts(name, definition)),
]
