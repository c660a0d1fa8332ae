import type { SeededRandom } from '../seeded-random.ts'

export interface Timer {
  cancel(): void
}

interface Entry {
  at: number
  /** Which of two at the same time is first. */
  tie: number
  run: (() => void) | null
}

/**
 * Virtual time. It stands while anything real is under way, which is a statement at the database and nothing else, and
 * jumps to the next thing that is to happen when all has come to rest.
 */
export class Schedule {
  /** Milliseconds since 1970. */
  now: number
  private readonly heap: Entry[] = []
  private readonly random: SeededRandom
  private readonly isBusy: () => Promise<unknown> | null

  /** `isBusy` answers what to wait for, or null. */
  constructor(start: number, random: SeededRandom, isBusy: () => Promise<unknown> | null) {
    this.now = start
    this.random = random
    this.isBusy = isBusy
  }

  after(ms: number, run: () => void): Timer {
    const entry: Entry = { at: this.now + Math.max(0, ms), tie: this.random.fraction(), run }
    this.push(entry)
    return {
      cancel: () => {
        entry.run = null
      },
    }
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve)
    })
  }

  /** What is still to come. */
  get pending(): number {
    return this.heap.filter(({ run }) => run !== null).length
  }

  /** Lets time pass until `isDone`, and throws when nothing is left to happen before. */
  async runUntil(isDone: () => boolean): Promise<void> {
    for (;;) {
      await this.settle()
      if (isDone()) return
      const next = this.pop()
      if (next === undefined) throw new Error('nothing happens any more, and it is not over')
      this.now = Math.max(this.now, next.at)
      next.run?.()
    }
  }

  /** Until every promise that can go on without time has done so. */
  private async settle(): Promise<void> {
    for (;;) {
      const busy = this.isBusy()
      if (busy !== null) {
        await busy
        continue
      }
      await immediate()
      if (this.isBusy() === null) return
    }
  }

  private push(entry: Entry): void {
    const { heap } = this
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(entry, heap[parent])) break
      swap(heap, index, parent)
      index = parent
    }
  }

  private pop(): Entry | undefined {
    for (;;) {
      const first = this.popAny()
      if (first === undefined || first.run !== null) return first
    }
  }

  private popAny(): Entry | undefined {
    const { heap } = this
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    heap[0] = last
    let index = 0
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      let least = index
      if (isBefore(heap[left], heap[least])) least = left
      if (isBefore(heap[right], heap[least])) least = right
      if (least === index) return first
      swap(heap, index, least)
      index = least
    }
  }
}

function isBefore(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined
  return one.at < other.at || (one.at === other.at && one.tie < other.tie)
}

function swap(heap: Entry[], one: number, other: number): void {
  const [first, second] = [heap[one], heap[other]]
  if (first === undefined || second === undefined) return
  heap[one] = second
  heap[other] = first
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
