import type { Configuration } from '#contract/console-api/shapes.ts'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { changesNothing } from '../../../forms/property/property-value.ts'
import type { DraftStore } from './draft-store.ts'
import { countEdits, editAt, viewAt, type Draft, type DraftEdit } from './draft.ts'
import type { Bound } from '../../../subjects/scopes/place-bound.ts'
import type { Left } from '../../../subjects/arrival/left.ts'
import type { PropertyPlace } from '../../../forms/property/property-place.ts'

/** A copied or restored value. It is taken while the draft has it as an edit, so that what is not ticked is never saved. */
export type Offer = PropertyPlace & {
  edit: Edit
  /** Why it was not taken at first. */
  bound: Bound | null
  /** The person's own edit that it replaces. */
  own: DraftEdit | null
}

/** Values that were copied or restored together, and what was left out. */
export interface Arrival {
  offers: readonly Offer[]
  left: readonly (PropertyPlace & { why: Left })[]
  /** The unsaved edits that it replaced or removed. */
  replaced: readonly PropertyPlace[]
  /** What the review offers as the reason; empty if nothing is known. */
  reason: string
  /** What a change request of all of it and nothing else is called; empty if nothing is known. */
  title: string
}

/** The offers that would still change something: not those that have been saved meanwhile. */
export const openOffers = (arrival: Arrival | null, { resources }: Configuration): readonly Offer[] =>
  arrival?.offers.filter(
    ({ locator, property, edit }) => !changesNothing(edit, viewAt(resources[locator], property)),
  ) ?? []

export const isTaken = ({ locator, property, edit }: Offer, draft: Draft): boolean =>
  deepEqual(editAt(draft, locator, property)?.edit ?? null, edit)

/** Whether a draft has all values of the arrival and nothing else, and nothing was left out that is not saved already. */
export const isWhole = ({ offers, left }: Arrival, draft: Draft): boolean =>
  countEdits(draft) === offers.length &&
  offers.every((offer) => isTaken(offer, draft)) &&
  left.every(({ why }) => why === 'same')

/** Takes an offer, or puts back what the person had before. */
export function take(
  { locator, property, edit, own }: Offer,
  isChosen: boolean,
  { store, configuration }: { store: DraftStore; configuration: Configuration },
): void {
  const base = viewAt(configuration.resources[locator], property)
  const next = isChosen ? { edit, base, version: configuration.snapshotVersion, isSensitive: false } : own
  store.apply([{ locator, property, next }])
}
