/** What is sealed begins with the format and the number of its data key, so that both can change. */
export const FORMAT = 1

export const HEADER_BYTES = 5

/** The number of the data key that sealed this; null where it is not sealed. */
export function keyIdOf(sealed: Buffer): number | null {
  return sealed.length >= HEADER_BYTES && sealed[0] === FORMAT ? sealed.readUInt32BE(1) : null
}

export function headerOf(id: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header[0] = FORMAT
  header.writeUInt32BE(id, 1)
  return header
}
