import type { Draft } from '../draft/draft.ts'
import type { EditProblem } from '../draft/marks.ts'
import type { Arrival, Offer } from '../draft/arrival.ts'
import type { MergeState } from '../editor/use-merge.ts'
import type { Gate } from '../../../subjects/gate/use-gate.tsx'
import type { SaveState } from '../editor/use-save.ts'

export interface ReviewProps {
  onClose: () => void
  draft: Draft
  /** What was copied or restored, if anything. */
  arrival: Arrival | null
  /** Those of its values that can be ticked. */
  offers: readonly Offer[]
  problems: readonly EditProblem[]
  merge: MergeState
  save: SaveState
  /** The JSON document contains something that is not part of any edit. */
  blockedByDocument: boolean
  /** What refuses saves in the scope now, whatever they change. */
  gate: Gate
}
