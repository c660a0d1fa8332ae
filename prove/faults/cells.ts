import { OPERATION_TYPES, STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { Size } from '../suite.ts'
import type { Fault, Kind } from './fault.ts'
import { KINDS } from './kinds.ts'

/**
 * `first`: the first attempt meets the fault. `repeat`: the first has its effect and is reset, the second meets the fault.
 * `always`: every attempt does, until a person retries. `takeover`: the only one does, and a DETACH takes over.
 */
export const TIMES = ['first', 'repeat'] as const
export type Time = (typeof TIMES)[number] | 'always' | 'takeover'

export interface Cell {
  number: number
  kind: Kind
  fault: Fault
  operationType: OperationType
  stage: Stage
  time: Time
}

const PLACES = STAGES.flatMap((stage) =>
  OPERATION_TYPES.flatMap((operationType) => TIMES.map((time) => ({ stage, operationType, time }))),
)

/**
 * kind × stage × operation type × first or repeat, then each kind once as a fault that lasts, then takeovers; and in the
 * full size every variant of each kind at every place.
 */
export function allCells(size: Size): Cell[] {
  const matrix = KINDS.flatMap((kind) =>
    PLACES.map((place, index) => ({ ...place, kind, fault: variantAt(kind, index) })),
  )
  const rest = KINDS.flatMap((kind) =>
    PLACES.flatMap((place, index) =>
      kind.faults
        .filter((fault) => fault !== variantAt(kind, index))
        .map((fault) => ({ ...place, kind, fault })),
    ),
  )
  const cells = [...matrix, ...lastingFaults(), ...takeovers(), ...(size === 'full' ? rest : [])]
  return cells.map((cell, number) => ({ ...cell, number }))
}

function lastingFaults(): Omit<Cell, 'number'>[] {
  return KINDS.flatMap((kind, index) => {
    const fault = kind.faults.find(({ means }) => means.as !== 'late' && means.as !== 'done')
    const place = PLACES[(index * TIMES.length) % PLACES.length]
    return fault === undefined || place === undefined ? [] : [{ ...place, kind, fault, time: 'always' }]
  })
}

/** The call that is held lands, and is answered, when a DETACH has taken its operation over and ended. */
function takeovers(): Omit<Cell, 'number'>[] {
  return KINDS.filter(({ number }) => number === 33).flatMap((kind) =>
    PLACES.filter(({ time }) => time === 'first').map((place) => {
      return { ...place, kind, fault: kind.faults[0], time: 'takeover' as const }
    }),
  )
}

/** Spreads the variants of a kind over its places: neighbours, and the same place of the other stage, differ. */
function variantAt({ faults }: Kind, place: number): Fault {
  return faults[(place + Math.floor(place / 2) + Math.floor(place / 8)) % faults.length] ?? faults[0]
}

export function cellName({ number, kind, fault, operationType, stage, time }: Cell): string {
  return `cell ${number}: ${kind.number} ${kind.name} (${fault.name}), ${operationType} ${stage} ${time}`
}
