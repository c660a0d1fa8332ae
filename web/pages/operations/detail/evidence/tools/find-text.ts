/** More matches are not counted: nobody steps through them. */
export const MAX_MATCHES = 1_000

/** The places of a text in another one, as offsets in UTF-16 units; upper and lower case are the same. */
export function findText(text: string, query: string, limit = MAX_MATCHES): { start: number; end: number }[] {
  if (query === '') return []
  const pattern = new RegExp(query.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), 'gi')
  const places: { start: number; end: number }[] = []
  for (const match of text.matchAll(pattern)) {
    if (places.length === limit) break
    places.push({ start: match.index, end: match.index + match[0].length })
  }
  return places
}
