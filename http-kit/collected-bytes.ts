/**
 * Bytes that arrive in pieces, copied into one buffer: to keep the pieces of a sender that sends bytes one by one takes more than a
 * hundred times their size.
 */
export class CollectedBytes {
  private buffer = Buffer.alloc(0)
  length = 0

  add(piece: Uint8Array): void {
    const length = this.length + piece.length
    if (length > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.buffer.length))
      this.buffer.copy(larger, 0, 0, this.length)
      this.buffer = larger
    }
    this.buffer.set(piece, this.length)
    this.length = length
  }

  whole(): Buffer {
    return this.buffer.subarray(0, this.length)
  }
}
