import type { Draft } from '../draft/draft.ts'
import type { EditProblem } from '../marks.ts'
import type { MergeState } from '../use-merge.ts'
import type { SaveState } from '../use-save.ts'

export interface ReviewProps {
  onClose: () => void
  draft: Draft
  problems: readonly EditProblem[]
  merge: MergeState
  save: SaveState
  /** The JSON document holds something that is in no edit. */
  blockedByDocument: boolean
}
