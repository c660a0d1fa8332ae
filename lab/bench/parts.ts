/** The parts of a benchmark that `--only` selects: the one with this name; all if it is empty. */
export function selectParts<Part>(parts: Readonly<Record<string, Part>>, only: string): Part[] {
  if (only === '') return Object.values(parts)
  const part = parts[only]
  if (part === undefined) throw new Error(`--only takes one of: ${Object.keys(parts).join(', ')}`)
  return [part]
}
