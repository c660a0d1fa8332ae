/** The average number of rows of a block. */
const ROWS = 8

export interface PropertyBlock {
  key: string
  properties: string[]
}

/**
 * Divides the properties of a group into blocks. Where a block begins depends on names only: a field stays in its block,
 * and so keeps the focus, when a new version adds or removes other properties, or when the filter hides them.
 *
 * @param isShown Whether the filter shows a property.
 */
export function blocksOf(
  properties: readonly string[],
  isShown: (property: string) => boolean,
): PropertyBlock[] {
  const blocks: PropertyBlock[] = []
  for (const property of properties) {
    const isStart = hash(property) % ROWS === 0
    const last = blocks.at(-1)
    if (last === undefined || isStart) blocks.push({ key: isStart ? property : '', properties: [property] })
    else last.properties.push(property)
  }
  return blocks
    .map(({ key, properties }) => ({ key, properties: properties.filter(isShown) }))
    .filter(({ properties }) => properties.length > 0)
}

const hash = (text: string): number =>
  [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 0)
