/**
 * Bytes that arrive in pieces, copied into one buffer: to keep the pieces of a sender that sends bytes one by one takes more than a
 * hundred times their size.
 */
export class CollectedBytes {
  private buffer = new Uint8Array(0)
  length = 0

  add(piece: Uint8Array): void {
    const length = this.length + piece.length
    if (length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.buffer.length))
      larger.set(this.buffer.subarray(0, this.length))
      this.buffer = larger
    }
    this.buffer.set(piece, this.length)
    this.length = length
  }

  whole(): Uint8Array<ArrayBuffer> {
    return this.buffer.subarray(0, this.length)
  }
}
