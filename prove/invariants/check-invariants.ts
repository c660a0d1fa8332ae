import type { Violation } from '../suite.ts'
import { claims, sequences } from './claims.ts'
import { effects, noEffectFromThePast, sameBytes } from './effects.ts'
import { events } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Check, Facts } from './facts.ts'
import { afterTakeover, fencing } from './fencing.ts'
import { readJournal } from './journal.ts'
import { instanceRef, ledger } from './ledger.ts'
import { quiescence } from './quiescence.ts'
import type { Reader } from './reader.ts'
import { snapshots, snapshotsOfOperations } from './snapshots.ts'
import { stages } from './stages.ts'
import { allScopes, readState } from './state.ts'
import { terminal } from './terminal.ts'
import { unknownResults } from './unknown-results.ts'
import { acknowledged, allOrNothing } from './writes.ts'

const CHECKS: readonly Check[] = [
  effects,
  sameBytes,
  stages,
  claims,
  sequences,
  fencing,
  snapshots,
  snapshotsOfOperations,
  terminal,
  unknownResults,
  quiescence,
  acknowledged,
  allOrNothing,
  events,
  ledger,
  instanceRef,
  noEffectFromThePast,
  afterTakeover,
]

/**
 * Everything in these scopes, or in the whole database, that breaks an invariant, judged by the tables, the plugins and
 * the clients alone. With `installJournal` done before, what stood in between is judged too.
 *
 * Not here: I15 is looked for once for a database (`canaries.ts`); I18 and I19 are about runs, not about what they leave.
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

/** The same for facts at hand. */
export function judgeFacts(facts: Facts): Violation[] {
  return CHECKS.flatMap((check) => check(facts))
}
