/** Sealed bytes start with the format and the id of their data key, so that both can change. */
export const FORMAT = 1

export const HEADER_BYTES = 5

/** Returns the id of the data key that sealed the bytes, or null if they are not sealed. */
export function keyIdOf(sealed: Buffer): number | null {
  return sealed.length >= HEADER_BYTES && sealed[0] === FORMAT ? sealed.readUInt32BE(1) : null
}

export function headerOf(id: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header[0] = FORMAT
  header.writeUInt32BE(id, 1)
  return header
}
