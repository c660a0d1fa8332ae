import fc from 'fast-check'

/** `structured` inputs are values that were valid before a few edits; `bytes` are texts and bytes that were. */
export type Family = 'structured' | 'bytes'

export interface TargetOptions<Input> {
  name: string
  family: Family
  input: fc.Arbitrary<Input>
  /** What is wrong with the result, or null. An exception is wrong too. */
  check(input: Input): string | null | Promise<string | null>
  /** Inputs that once revealed a bug; they always run first. */
  regressions?: readonly Input[]
  /** How large a share of the family's inputs it gets; default 1. */
  share?: number
}

/** A parser or decision that is run with generated inputs. */
export interface Target {
  name: string
  family: Family
  share: number
  /** Answers the smallest input that fails and why, or null. */
  run(options: { runs: number; seed: number }): Promise<string | null>
}

/** No input may take longer; one that does is tried once more, because the machine may be busy. */
const MAX_MS = 2_000
const MAX_SHOWN = 2_000

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype]
const countPrototypeProperties = (): number => prototypes.flatMap(Reflect.ownKeys).length

export function target<Input>(options: TargetOptions<Input>): Target {
  const { name, family, input, check, share = 1, regressions = [] } = options
  const properties = countPrototypeProperties()
  const timeOf = async (value: Input): Promise<number> => {
    const started = performance.now()
    const problem = await check(value)
    if (problem !== null) throw new Error(problem)
    return performance.now() - started
  }
  const attempt = async (value: Input): Promise<void> => {
    const first = await timeOf(value)
    const ms = first > MAX_MS ? await timeOf(value) : first
    if (ms > MAX_MS) throw new Error(`took ${Math.round(ms)} ms`)
    if (countPrototypeProperties() !== properties) throw new Error('a prototype has a new property')
  }
  return {
    name,
    family,
    share,
    async run({ runs, seed }) {
      const details = await fc.check(fc.asyncProperty(input, attempt), {
        numRuns: runs,
        seed,
        examples: regressions.map((value): [Input] => [value]),
      })
      if (!details.failed) return null
      const cause = details.errorInstance instanceof Error ? details.errorInstance.message : 'failed'
      return `${cause} with ${show(details.counterexample).slice(0, MAX_SHOWN)}`
    },
  }
}

/** As JSON; bytes as a text that Buffer.from(…, 'latin1') reads. */
function show(input: unknown): string {
  return JSON.stringify(input, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
}
