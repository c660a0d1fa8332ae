// JSON pointers (RFC 6901).

/** The pointer to the value that these keys and positions lead to, from the outside in; empty for the whole document. */
export const pointerTo = (...segments: readonly PropertyKey[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The keys and positions of a pointer, from the outside in. */
export const pointerSegments = (pointer: string): string[] => pointer.split('/').slice(1).map(unescapeSegment)

/** One segment of a pointer as the key that it stands for. */
export const unescapeSegment = (segment: string): string =>
  segment.replaceAll('~1', '/').replaceAll('~0', '~')
