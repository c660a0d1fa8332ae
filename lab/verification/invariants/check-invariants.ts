import type { Violation } from '../suite.ts'
import { claims, sequences } from './claims.ts'
import { effects, noLateEffect, sameBytes } from './effects.ts'
import { events } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Facts, Invariant } from './facts.ts'
import { afterTakeover, fencing } from './fencing.ts'
import { finished, quiescence } from './finished.ts'
import { installedState, instanceRef } from './installed-state.ts'
import { readJournal } from './journal.ts'
import type { Reader } from './reader.ts'
import { operationSnapshots, snapshots } from './snapshots.ts'
import { stages } from './stages.ts'
import { allScopes, readState } from './state.ts'
import { unknownResults } from './unknown-results.ts'
import { acknowledged, allOrNothing } from './writes.ts'

const INVARIANTS: readonly Invariant[] = [
  effects,
  sameBytes,
  stages,
  claims,
  sequences,
  fencing,
  snapshots,
  operationSnapshots,
  finished,
  unknownResults,
  quiescence,
  acknowledged,
  allOrNothing,
  events,
  installedState,
  instanceRef,
  noLateEffect,
  afterTakeover,
]

/**
 * Every violation of an invariant in these scopes, or in the whole database, judged only by the tables and by what
 * plugins and clients observed. If `installJournal` was called before, the intermediate steps are judged too.
 *
 * Not included: I15 is checked once per database (`canaries.ts`); I18 and I19 cannot be seen in what a run leaves.
 */
export async function checkInvariants(
  reader: Reader,
  evidence: Evidence,
  scopeIds?: readonly number[],
): Promise<Violation[]> {
  const scopes = scopeIds ?? (await allScopes(reader))
  const journal = await readJournal(reader, scopes)
  return judgeFacts({ ...evidence, state: await readState(reader, scopes), journal })
}

/** The same for facts that have been read. */
export function judgeFacts(facts: Facts): Violation[] {
  return INVARIANTS.flatMap((invariant) => [...invariant(facts)])
}
