import { PATTERN_MAX } from './limits.ts'
import { isAnchored, isFixed, PatternRefused, readPattern, TOO_COMPLEX, type Node } from './pattern-tree.ts'

/**
 * How long a regular expression of an author can keep a browser or a runtime busy.
 *
 * JavaScript matches by trying: where one text can be matched in several ways, each way is tried before the match fails.
 * `(a+)+$` has exponentially many, and thirty characters stop a process. The question "in how many ways?" can be decided
 * (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991), and that is what is done here: the pattern
 * becomes an automaton without empty moves, whose states are the characters of the pattern.
 *
 * - Exponential: a state comes back to itself by two different ways over one text. Refused.
 * - Else the ways grow with a power of the length of the text, the degree: one more for each loop that can hand text over
 *   to a later loop. `^[a-z]+$` has degree 1, `^.*=.*$` 2.
 * - Without any loop there can still be too many, as in `^a?a?a?a?…$`: they are counted over the worst short text that a
 *   search finds.
 *
 * Approximations are on the careful side: a repetition of ten or more times counts as endless.
 */
export type PatternCost = { usable: true; degree: number } | { usable: false; problem: string }

const STATES_MAX = 256
const MOVES_MAX = 16_000
const STEPS_MAX = 1_000_000
const ENDLESS = 10
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
    // The flag is the one that the interpreter uses.
    return new RegExp(pattern, 'u').unicode
  } catch {
    return false
  }
}

const refuse = (problem: string): PatternCost => ({ usable: false, problem })

const EXPONENTIAL =
  'Can take endlessly long: a repetition holds another, or alternatives, that match the same text in several ways'

// --- The pattern as an automaton -----------------------------------------------------------------------------------

const EVERYTHING = (1n << 4096n) - 1n

type Part = { nullable: boolean; first: number[]; last: number[] }

const NOTHING: Part = { nullable: true, first: [], last: [] }

class Automaton {
  readonly masks: bigint[] = []
  /** For each state the states that can follow it, and in how many ways each. */
  readonly follow: Map<number, number>[] = []
  /** What looks ahead or behind, matched from where it stands; `repeated` when it stands in a loop. */
  readonly looks: { body: Node; repeated: boolean }[] = []
  #loops = 0
  #moves = 0

  add(node: Node): Part {
    switch (node.type) {
      case 'characters':
        return this.#addState(node.mask)
      case 'sequence':
        return node.items.reduce((before, item) => this.join(before, this.add(item)), NOTHING)
      case 'choice':
        return this.#addChoice(node.options)
      case 'repeat':
        return this.#addRepeat(node)
      case 'look':
        this.looks.push({ body: node.body, repeated: this.#loops > 0 })
        return NOTHING
      case 'start':
      case 'nothing':
        return NOTHING
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
    if (max === 0) return NOTHING
    const isLoop = max === Infinity || (max >= ENDLESS && !(min === max && isFixed(body)))
    if (isLoop) {
      const part = this.addLoop(body)
      // Required rounds may match nothing, and then every choice of those that do is another way.
      if (part.nullable && min >= ENDLESS) throw new PatternRefused(EXPONENTIAL)
      return { ...part, nullable: part.nullable || min === 0 }
    }
    let rest = NOTHING
    if (max >= ENDLESS) return this.join(this.add(body), this.add(body))
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
  // A pattern without ^ is tried at every place, which is a loop over everything before it.
  return degreeOfTree(tree, { searches: !isAnchored(tree) })
}

function degreeOfTree(tree: Node, { searches }: { searches: boolean }): number {
  const automaton = new Automaton()
  const everything: Node = { type: 'characters', mask: EVERYTHING }
  const before = searches ? { ...automaton.addLoop(everything), nullable: true } : NOTHING
  const whole = automaton.join(before, automaton.add(tree))
  const ahead = automaton.looks.map(
    ({ body, repeated }) => degreeOfTree(body, { searches: false }) + (repeated || searches ? 1 : 0),
  )
  const loops = findLoops(automaton)
  for (const loop of loops) if (isExponential(automaton, loop)) throw new PatternRefused(EXPONENTIAL)
  const degree = Math.max(1, degreeOfLoops(automaton, loops), ...ahead)
  if (degree <= DEGREE_MAX && waysAtWorst(automaton, whole.first) > WAYS_MAX)
    throw new PatternRefused(EXPONENTIAL)
  return degree
}

type Loop = { states: Set<number>; mask: bigint; reaches: Set<number> }

/** The states that can come back to themselves, grouped by those that reach each other. */
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

/** True when a state of the loop comes back to itself by two ways over one text. */
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
          // Two different ways have come together again.
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

/** One for the longest loop, and one more for each loop on the way that can take over text of the one before it. */
function degreeOfLoops(automaton: Automaton, loops: Loop[]): number {
  const known = new Map<Loop, number>()
  const degreeTo = (loop: Loop): number => {
    const cached = known.get(loop)
    if (cached !== undefined) return cached
    let degree = 1
    for (const earlier of loops)
      if (earlier !== loop && [...loop.states].some((state) => earlier.reaches.has(state)))
        degree = Math.max(degree, degreeTo(earlier) + (handsOver(automaton, earlier, loop) ? 1 : 0))
    known.set(loop, degree)
    return degree
  }
  return Math.max(0, ...loops.map(degreeTo))
}

function handsOver({ follow, masks }: Automaton, from: Loop, to: Loop): boolean {
  const common = from.mask & to.mask
  if (common === 0n) return false
  const overlaps = (state: number): boolean => ((masks[state] ?? 0n) & common) !== 0n
  return [...from.states].some((state) =>
    [...reachable(follow, state, overlaps)].some((reached) => to.states.has(reached)),
  )
}

/**
 * The number of ways through the automaton over the worst text that a beam search finds, up to SEARCH_LENGTH characters:
 * always the characters after which there are the most ways.
 */
function waysAtWorst({ follow, masks }: Automaton, first: number[]): number {
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

/** One set of states for each kind of character that the pattern tells apart. */
function lettersOf(masks: bigint[]): Set<number>[] {
  const letters = new Map<string, Set<number>>()
  const bits = Math.max(
    0,
    ...masks.filter((mask) => mask !== EVERYTHING).map((mask) => mask.toString(2).length),
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
