import type { JsonValue } from '../../../contract/json-schema/json.ts'

const READINGS_MAX = 1_000
/** What a bundle makes large is kept for fewer operations: all of it together must not fill the memory of the plugin. */
const LENGTH_MAX = 16 * 1024 * 1024

interface Kept<Value> {
  readAt: number
  reading: Promise<Value>
  /** As JSON; 0 until it is known. */
  length: number
}

/** What was read from the platform, by key: the newest 1,000, as far as their JSON has at most 16 Mi characters together. */
export class KeptReadings<Value extends JsonValue | object> {
  readonly #kept = new Map<string, Kept<Value>>()
  #length = 0

  find(key: string): Kept<Value> | undefined {
    return this.#kept.get(key)
  }

  /** Keeps a reading unless it fails. */
  add(key: string, reading: Promise<Value>, readAt = 0): Promise<Value> {
    const kept = { readAt, reading, length: 0 }
    this.#remove(key)
    this.#kept.set(key, kept)
    if (this.#kept.size > READINGS_MAX) this.#removeOldest()
    reading.then(
      (value) => {
        if (this.#kept.get(key) !== kept) return
        kept.length = JSON.stringify(value).length
        this.#length += kept.length
        while (this.#length > LENGTH_MAX) this.#removeOldest()
      },
      () => {
        if (this.#kept.get(key) === kept) this.#remove(key)
      },
    )
    return reading
  }

  #removeOldest(): void {
    const [oldest = ''] = this.#kept.keys()
    this.#remove(oldest)
  }

  #remove(key: string): void {
    this.#length -= this.#kept.get(key)?.length ?? 0
    this.#kept.delete(key)
  }
}
