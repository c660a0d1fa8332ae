import { PATTERN_MAX } from './limits.ts'
import { isAnchored, isFixed, PatternRefused, readPattern, TOO_COMPLEX, type Node } from './pattern-tree.ts'

/**
 * Estimates how long a regular expression from an author can keep a browser or a runtime busy.
 *
 * JavaScript matches by backtracking: if a text can be matched in several ways, each way is tried before the match
 * fails. `(a+)+$` has exponentially many, and thirty characters hang a process. The number of ways can be decided
 * (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991): the pattern becomes an automaton without
 * empty moves, whose states are the characters of the pattern.
 *
 * - Exponential: a state returns to itself in two different ways over one text. Rejected.
 * - Otherwise the ways grow with a power of the text length, the degree: one more for each loop that can hand text over
 *   to a later loop. `^[a-z]+$` has degree 1, `^.*=.*$` 2.
 * - Without loops there can still be too many, as in `^a?a?a?a?…$`: they are counted over the worst short text that a
 *   search finds.
 *
 * Approximations err on the safe side: a repetition of ten or more times counts as unbounded.
 */
export type PatternCost = { usable: true; degree: number } | { usable: false; problem: string }

const STATES_MAX = 256
const MOVES_MAX = 16_000
const STEPS_MAX = 1_000_000
const UNBOUNDED_FROM = 10
const DEGREE_MAX = 4
const WAYS_MAX = 100_000
const SEARCH_LENGTH = 48
const SEARCH_WIDTH = 4

export function patternCost(pattern: string): PatternCost {
  if (pattern.length > PATTERN_MAX) return refuse(`Must be at most ${PATTERN_MAX} characters`)
  if (!compiles(pattern)) return refuse('Must be a regular expression of ECMAScript with the u flag')
  try {
    const degree = degreeOf(pattern)
    return degree <= DEGREE_MAX
      ? { usable: true, degree }
      : refuse('Takes too long on a long text: begin it with ^ and let fewer repetitions match the same text')
  } catch (error) {
    if (error instanceof PatternRefused) return refuse(error.message)
    throw error
  }
}

function compiles(pattern: string): boolean {
  try {
    // The interpreter uses the same flag.
    return new RegExp(pattern, 'u').unicode
  } catch {
    return false
  }
}

const refuse = (problem: string): PatternCost => ({ usable: false, problem })

const EXPONENTIAL =
  'Can take endlessly long: a repetition holds another, or alternatives, that match the same text in several ways'

// --- The pattern as an automaton -----------------------------------------------------------------------------------

const ANY_CHARACTER = (1n << 4096n) - 1n

type Part = { nullable: boolean; first: number[]; last: number[] }

const EMPTY_PART: Part = { nullable: true, first: [], last: [] }

class Automaton {
  readonly masks: bigint[] = []
  /** For each state, the states that can follow it, and in how many ways each. */
  readonly follow: Map<number, number>[] = []
  /** Look-ahead and look-behind parts, matched from their position; `repeated` if inside a loop. */
  readonly looks: { body: Node; repeated: boolean }[] = []
  #loops = 0
  #moves = 0

  add(node: Node): Part {
    switch (node.type) {
      case 'characters':
        return this.#addState(node.mask)
      case 'sequence':
        return node.items.reduce((before, item) => this.join(before, this.add(item)), EMPTY_PART)
      case 'choice':
        return this.#addChoice(node.options)
      case 'repeat':
        return this.#addRepeat(node)
      case 'look':
        this.looks.push({ body: node.body, repeated: this.#loops > 0 })
        return EMPTY_PART
      case 'start':
      case 'nothing':
        return EMPTY_PART
    }
  }

  join(before: Part, after: Part): Part {
    this.#connect(before.last, after.first)
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    }
  }

  addLoop(body: Node): Part {
    this.#loops += 1
    const part = this.add(body)
    this.#loops -= 1
    this.#connect(part.last, part.first)
    return part
  }

  #addState(mask: bigint): Part {
    const state = this.masks.push(mask) - 1
    if (state >= STATES_MAX) throw new PatternRefused(TOO_COMPLEX)
    this.follow.push(new Map())
    return { nullable: false, first: [state], last: [state] }
  }

  #addChoice(options: Node[]): Part {
    const parts = options.map((option) => this.add(option))
    return {
      nullable: parts.some((part) => part.nullable),
      first: parts.flatMap((part) => part.first),
      last: parts.flatMap((part) => part.last),
    }
  }

  #addRepeat({ body, min, max }: { body: Node; min: number; max: number }): Part {
    if (max === 0) return EMPTY_PART
    const isLoop = max === Infinity || (max >= UNBOUNDED_FROM && !(min === max && isFixed(body)))
    if (isLoop) {
      const part = this.addLoop(body)
      // Required repetitions may match nothing; every choice of the ones that do is another way.
      if (part.nullable && min >= UNBOUNDED_FROM) throw new PatternRefused(EXPONENTIAL)
      return { ...part, nullable: part.nullable || min === 0 }
    }
    let rest = EMPTY_PART
    if (max >= UNBOUNDED_FROM) return this.join(this.add(body), this.add(body))
    for (let optional = max - min; optional > 0; optional -= 1)
      rest = { ...this.join(this.add(body), rest), nullable: true }
    for (let copies = min; copies > 0; copies -= 1) rest = this.join(this.add(body), rest)
    return rest
  }

  #connect(from: number[], to: number[]): void {
    this.#moves += from.length * to.length
    if (this.#moves > MOVES_MAX) throw new PatternRefused(TOO_COMPLEX)
    for (const state of from) {
      const follow = this.follow[state]
      for (const next of to) follow?.set(next, (follow.get(next) ?? 0) + 1)
    }
  }
}

// --- Counting ways -------------------------------------------------------------------------------------------------

function degreeOf(pattern: string): number {
  const tree = readPattern(pattern)
  // A pattern without ^ is tried at every position, which is a loop over everything before it.
  return degreeOfTree(tree, { searches: !isAnchored(tree) })
}

function degreeOfTree(tree: Node, { searches }: { searches: boolean }): number {
  const automaton = new Automaton()
  const everything: Node = { type: 'characters', mask: ANY_CHARACTER }
  const before = searches ? { ...automaton.addLoop(everything), nullable: true } : EMPTY_PART
  const whole = automaton.join(before, automaton.add(tree))
  const ahead = automaton.looks.map(
    ({ body, repeated }) => degreeOfTree(body, { searches: false }) + (repeated || searches ? 1 : 0),
  )
  const loops = findLoops(automaton)
  for (const loop of loops) if (isExponential(automaton, loop)) throw new PatternRefused(EXPONENTIAL)
  const degree = Math.max(1, degreeOfLoops(automaton, loops), ...ahead)
  if (degree <= DEGREE_MAX && worstCaseWays(automaton, whole.first) > WAYS_MAX)
    throw new PatternRefused(EXPONENTIAL)
  return degree
}

type Loop = { states: Set<number>; mask: bigint; reaches: Set<number> }

/** The states that can return to themselves, grouped by mutual reachability. */
function findLoops({ follow, masks }: Automaton): Loop[] {
  const reach = follow.map((_, state) => reachable(follow, state, () => true))
  const loops: Loop[] = []
  const placed = new Set<number>()
  for (const [state, reaches] of reach.entries()) {
    if (placed.has(state) || !reaches.has(state)) continue
    const states = new Set([...reaches].filter((other) => reach[other]?.has(state)))
    for (const member of states) placed.add(member)
    loops.push({
      states,
      mask: [...states].reduce((mask, member) => mask | (masks[member] ?? 0n), 0n),
      reaches,
    })
  }
  return loops
}

function reachable(
  follow: Map<number, number>[],
  from: number,
  mayEnter: (state: number) => boolean,
): Set<number> {
  const seen = new Set<number>()
  const open = [from]
  for (let state = open.pop(); state !== undefined; state = open.pop())
    for (const next of follow[state]?.keys() ?? [])
      if (!seen.has(next) && mayEnter(next)) {
        seen.add(next)
        open.push(next)
      }
  return seen
}

/** True if a state of the loop returns to itself in two ways over one text. */
function isExponential({ follow, masks }: Automaton, { states }: Loop): boolean {
  let steps = 0
  const open: [number, number][] = [...states].map((state) => [state, state])
  const seen = new Set<number>()
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair
    for (const [nextLeft, ways] of follow[left] ?? []) {
      if (!states.has(nextLeft)) continue
      if (left === right && ways > 1) return true
      for (const nextRight of follow[right]?.keys() ?? []) {
        if ((steps += 1) > STEPS_MAX) throw new PatternRefused(TOO_COMPLEX)
        if (!states.has(nextRight)) continue
        if (nextLeft === nextRight) {
          // Two different ways have met again.
          if (left !== right) return true
          continue
        }
        const key = nextLeft * STATES_MAX + nextRight
        if (seen.has(key) || ((masks[nextLeft] ?? 0n) & (masks[nextRight] ?? 0n)) === 0n) continue
        seen.add(key)
        open.push([nextLeft, nextRight])
      }
    }
  }
  return false
}

/** One for the longest loop, plus one for each loop on the path that can take over text from the one before it. */
function degreeOfLoops(automaton: Automaton, loops: Loop[]): number {
  const known = new Map<Loop, number>()
  const degreeTo = (loop: Loop): number => {
    const cached = known.get(loop)
    if (cached !== undefined) return cached
    let degree = 1
    for (const earlier of loops)
      if (earlier !== loop && [...loop.states].some((state) => earlier.reaches.has(state)))
        degree = Math.max(degree, degreeTo(earlier) + (canHandOver(automaton, earlier, loop) ? 1 : 0))
    known.set(loop, degree)
    return degree
  }
  return Math.max(0, ...loops.map(degreeTo))
}

function canHandOver({ follow, masks }: Automaton, from: Loop, to: Loop): boolean {
  const common = from.mask & to.mask
  if (common === 0n) return false
  const overlaps = (state: number): boolean => ((masks[state] ?? 0n) & common) !== 0n
  return [...from.states].some((state) =>
    [...reachable(follow, state, overlaps)].some((reached) => to.states.has(reached)),
  )
}

/**
 * The number of ways through the automaton over the worst text that a beam search finds, up to SEARCH_LENGTH
 * characters; it always extends with the characters that leave the most ways.
 */
function worstCaseWays({ follow, masks }: Automaton, first: number[]): number {
  const letters = lettersOf(masks)
  let beam = [new Map(first.map((state) => [state, 1]))]
  let worst = 0
  for (let length = 0; length < SEARCH_LENGTH && beam.length > 0; length += 1) {
    const tried = beam.flatMap((open) => letters.map((letter) => read(open, letter)))
    const ranked = tried
      .map((states) => ({ states, ways: [...states.values()].reduce((sum, ways) => sum + ways, 0) }))
      .filter(({ ways }) => ways > 0)
      .sort((a, b) => b.ways - a.ways)
      .slice(0, SEARCH_WIDTH)
    worst = Math.max(worst, ranked[0]?.ways ?? 0)
    if (worst > WAYS_MAX) return worst
    beam = ranked.map(({ states }) => step(follow, states))
  }
  return worst
}

/** One set of states for each class of characters that the pattern distinguishes. */
function lettersOf(masks: bigint[]): Set<number>[] {
  const letters = new Map<string, Set<number>>()
  const bits = Math.max(
    0,
    ...masks.filter((mask) => mask !== ANY_CHARACTER).map((mask) => mask.toString(2).length),
  )
  for (let bit = 0; bit < bits; bit += 1) {
    const states = masks.flatMap((mask, state) => (((mask >> BigInt(bit)) & 1n) === 1n ? [state] : []))
    letters.set(states.join(), new Set(states))
  }
  return [...letters.values()]
}

const read = (open: Map<number, number>, letter: Set<number>): Map<number, number> =>
  new Map([...open].filter(([state]) => letter.has(state)))

function step(follow: Map<number, number>[], states: Map<number, number>): Map<number, number> {
  const open = new Map<number, number>()
  for (const [state, ways] of states)
    for (const [next, edges] of follow[state] ?? []) open.set(next, (open.get(next) ?? 0) + ways * edges)
  return open
}
