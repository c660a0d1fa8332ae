import { OPERATION_TYPES, STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { Size } from '../suite.ts'
import { ANSWER_KINDS } from './answer-faults.ts'
import { DELIVERY_KINDS } from './delivery-faults.ts'
import type { Fault, Kind } from './fault.ts'
import { NETWORK_KINDS } from './network-faults.ts'

/** The 36 kinds of faults, in the order of their numbers. */
export const KINDS: readonly Kind[] = [...NETWORK_KINDS, ...ANSWER_KINDS, ...DELIVERY_KINDS]

/**
 * `first`: the first attempt meets the fault. `repeat`: the first has its effect and is reset, the second meets the
 * fault. `always`: every attempt meets it, until a person retries. `takeover`: the only attempt meets it, and a DETACH
 * takes over.
 */
export const TIMES = ['first', 'repeat', 'always', 'takeover'] as const
type Time = (typeof TIMES)[number]

export interface Cell {
  number: number
  kind: Kind
  fault: Fault
  operationType: OperationType
  stage: Stage
  time: Time
}

const PLACES = STAGES.flatMap((stage) =>
  OPERATION_TYPES.flatMap((operationType) =>
    (['first', 'repeat'] as const).map((time) => ({ stage, operationType, time })),
  ),
)

/**
 * Every variant of each kind of fault at every place, each kind once as a fault that lasts, and takeovers. The quick form
 * has every variant, and every kind in both stages of each operation type, either at the first attempt or at a repeat.
 */
export function allCells(size: Size): Cell[] {
  const matrix = KINDS.flatMap((kind) =>
    PLACES.flatMap((place, index) =>
      kind.faults.map((fault, variant) => ({
        ...place,
        kind,
        fault,
        isQuick: isQuick(kind, index, variant),
      })),
    ),
  )
  return [...matrix, ...lastingFaults(), ...takeovers()]
    .map((cell, number) => ({ ...cell, number }))
    .filter(({ isQuick }) => isQuick || size === 'full')
}

type Candidate = Omit<Cell, 'number'> & { isQuick: boolean }

function lastingFaults(): Candidate[] {
  return KINDS.flatMap((kind, index) => {
    const fault = kind.faults.find(({ means }) => means.as !== 'late' && means.as !== 'done')
    const place = PLACES[(index * 2) % PLACES.length]
    if (fault === undefined || place === undefined) return []
    return [{ ...place, kind, fault, time: 'always', isQuick: true }]
  })
}

/** The delayed call arrives, and gets its response, after a DETACH has taken over the operation and ended. */
function takeovers(): Candidate[] {
  return KINDS.filter(({ number }) => number === 33).flatMap((kind) =>
    PLACES.filter(({ time }) => time === 'first').map((place) => {
      return { ...place, kind, fault: kind.faults[0], time: 'takeover' as const, isQuick: true }
    }),
  )
}

/** Of two neighboring places, the first attempt and the repeat, one is in the quick form; variants alternate. */
function isQuick({ number, faults }: Kind, place: number, variant: number): boolean {
  const pair = Math.floor(place / 2)
  const pairs = PLACES.length / 2
  const isItsTurn = (number + pair + Math.floor(place / 8)) % 2 === place % 2
  return isItsTurn && variant % pairs === pair % Math.min(faults.length, pairs)
}

export function cellName({ number, kind, fault, operationType, stage, time }: Cell): string {
  return `cell ${number}: ${kind.number} ${kind.name} (${fault.name}), ${operationType} ${stage} ${time}`
}
