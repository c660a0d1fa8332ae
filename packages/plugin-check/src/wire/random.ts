import { createHash } from 'node:crypto'

/** A deterministic source: the same seed text gives the same numbers. */
export interface Random {
  bytes(count: number): Buffer
  /** 0 to `below` - 1. */
  integer(below: number): number
  /** A UUID of version 7 whose time is `at`, in milliseconds since 1970. */
  uuid(at: number): string
}

export function seededRandom(seed: string): Random {
  let counter = 0
  const bytes = (count: number): Buffer => {
    const blocks: Buffer[] = []
    for (let length = 0; length < count; length += 32)
      blocks.push(createHash('sha256').update(`${seed}\n${counter++}`).digest())
    return Buffer.concat(blocks).subarray(0, count)
  }
  return {
    bytes,
    integer: (below) => bytes(4).readUInt32BE() % below,
    uuid(at) {
      const id = Buffer.concat([Buffer.alloc(6), bytes(10)])
      id.writeUIntBE(at, 0, 6)
      id[6] = 0x70 | ((id[6] ?? 0) & 0x0f)
      id[8] = 0x80 | ((id[8] ?? 0) & 0x3f)
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}
