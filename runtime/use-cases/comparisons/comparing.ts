import { sql } from 'kysely'
import { inTransaction } from '#database/transaction.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { isSameValue } from '../../engine/changes/compare.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import { deleteComparisons, findSpent, insertComparisons } from '../../store/comparisons.ts'
import type { SpentProperty } from '../../store/comparisons.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { recordAudit } from '../audit/record.ts'
import type { ReadContext } from '../context.ts'
import type { Compared, Comparing, OwnedComparison } from './compared.ts'
import { planAt } from '../plans/plan-view.ts'
import { canonicalText } from '../plans/plan-token.ts'

/** How many different values a person may compare with the hidden value of one property within an hour. */
export const COMPARISONS_MAX = 10

/**
 * Makes a plan from what the database holds at one moment. What it compares with hidden values is counted and audited
 * first, in a transaction of its own, and then the plan is made again: neither the plan nor the time that it takes is
 * seen for free. Refuses with TOO_MANY_COMPARISONS.
 */
export async function planComparing<Result>(
  context: ReadContext,
  plan: (db: Db, comparing: Comparing) => Promise<Result>,
): Promise<Result> {
  const { deps, actor } = context
  const counted = new Set<string>()
  for (;;) {
    try {
      return await planAt(context, (db) =>
        plan(db, async (compared) => {
          if (textsOf(actor, compared).some((text) => !counted.has(text))) throw new Uncounted(compared)
        }),
      )
    } catch (error) {
      if (!(error instanceof Uncounted)) throw error
      await countForPlan(deps, actor, error.compared)
      for (const text of textsOf(actor, error.compared)) counted.add(text)
    }
  }
}

class Uncounted extends Error {
  readonly compared: Compared
  constructor(compared: Compared) {
    super('A plan compares hidden values that are not counted yet')
    this.compared = compared
  }
}

async function countForPlan(
  { db, vault }: { db: Db; vault: Vault },
  actor: Actor,
  compared: Compared,
): Promise<void> {
  try {
    await inTransaction(db, async (tx) => audit(tx, actor, await count(tx, vault, actor, compared)))
  } catch (error) {
    if (error instanceof DomainError) await inTransaction(db, (tx) => audit(tx, actor, compared, error.code))
    throw error
  }
}

/**
 * The comparisons of one write. They are counted within its transaction; a write that is refused compares too, so
 * what it rolled back is counted again.
 */
export class WriteComparisons {
  readonly #vault: Vault
  readonly #actor: Actor
  #asked: Compared[] = []
  #fresh: Compared[] = []

  constructor(vault: Vault, actor: Actor) {
    this.#vault = vault
    this.#actor = actor
  }

  /** Begins with the transaction of the write, which may be repeated. */
  begin(tx: Tx): Comparing {
    this.#asked = []
    this.#fresh = []
    return async (compared) => {
      this.#asked.push(compared)
      this.#fresh.push(await count(tx, this.#vault, this.#actor, compared))
    }
  }

  /** After the write: a value that it has replaced is audited with the write, and is not a comparison. */
  async written(tx: Tx): Promise<void> {
    for (const { comparisons, ...fresh } of this.#fresh) {
      const isCompared = ({ before, after }: OwnedComparison) => !fresh.replaces || isSameValue(before, after)
      const replaced = { ...fresh, comparisons: comparisons.filter((one) => !isCompared(one)) }
      await deleteComparisons(
        tx,
        placeOf(this.#actor, fresh.scope),
        rowsOf(this.#vault, this.#actor, replaced),
      )
      await audit(tx, this.#actor, { ...fresh, comparisons: comparisons.filter(isCompared) })
    }
  }

  /** After the write was refused and rolled back. Returns what it is refused for: too many comparisons come first. */
  async refused(tx: Tx, refusal: DomainError): Promise<DomainError> {
    if (refusal.code === 'TOO_MANY_COMPARISONS' || this.#asked.length === 0) return refusal
    await sql`savepoint comparisons`.execute(tx)
    try {
      for (const compared of this.#asked)
        await audit(tx, this.#actor, await count(tx, this.#vault, this.#actor, compared))
      return refusal
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      await sql`rollback to savepoint comparisons`.execute(tx)
      return error
    }
  }
}

/** Counts comparisons, and returns those that are new within an hour. */
async function count(tx: Tx, vault: Vault, actor: Actor, compared: Compared): Promise<Compared> {
  const { scope, comparisons } = compared
  if (comparisons.length === 0) return compared
  const place = placeOf(actor, scope)
  const rows = rowsOf(vault, actor, compared)
  const inserted = await insertComparisons(tx, place, rows)
  const spent = await findSpent(tx, { ...place, limit: COMPARISONS_MAX }, rows)
  if (spent.length > 0) throw tooMany(spent)
  const isNew = new Set(inserted.map(({ digest }) => digest.toString('hex')))
  return {
    ...compared,
    comparisons: comparisons.filter((_, index) => isNew.has(rows[index]?.digest.toString('hex') ?? '')),
  }
}

function tooMany(spent: readonly SpentProperty[]): DomainError {
  const messageFor = (seconds: number) =>
    platformMessage('tooManyComparisons', {
      limit: COMPARISONS_MAX,
      minutes: Math.max(1, Math.ceil(seconds / 60)),
    })
  return new DomainError(
    'TOO_MANY_COMPARISONS',
    messageFor(Math.max(...spent.map(({ seconds }) => seconds))),
    {
      details: spent.map(({ locator, property, seconds }) => ({
        locator,
        property,
        errorCode: 'TOO_MANY_COMPARISONS',
        ...messageFor(seconds),
      })),
    },
  )
}

/** One entry for each installation; the values are hidden, as everywhere in the audit. */
async function audit(
  tx: Tx,
  actor: Actor,
  { scope, comparisons }: Compared,
  errorCode?: string,
): Promise<void> {
  const byInstallation = Map.groupBy(comparisons, ({ bundleInstallId }) => bundleInstallId)
  for (const [bundleInstallId, owned] of byInstallation) {
    const installation = bundleInstallId === null ? undefined : await findInstallation(tx, bundleInstallId)
    await recordAudit(tx, actor, {
      action: 'configuration.compare',
      subject: installation?.title ?? owned[0]?.locator ?? '',
      scope: scopeOf(scope),
      ...(bundleInstallId !== null && { bundleInstallId }),
      changes: owned.map(({ locator, property }) => ({ locator, property, before: HIDDEN, after: HIDDEN })),
      ...(errorCode !== undefined && { outcome: 'REFUSED' as const, errorCode }),
    })
  }
}

const HIDDEN = { '@type': 'Data', isSensitive: true, isSet: true } as const

const placeOf = ({ id }: Actor, { scope_id }: ScopeRow) => ({ actorId: id, scopeId: scope_id })

function rowsOf(vault: Vault, actor: Actor, compared: Compared) {
  const texts = textsOf(actor, compared)
  return compared.comparisons.map(({ locator, property }, index) => ({
    locator,
    property,
    digest: vault.digest(texts[index] ?? ''),
  }))
}

/**
 * What identifies each comparison. The saved value is part of it: the same guess against a value that was replaced
 * would show something new.
 */
const textsOf = ({ id }: Actor, { scope, comparisons }: Compared): string[] =>
  comparisons.map(({ locator, property, before, after }) =>
    canonicalText(['comparison', id, scope.scope_id, locator, property, bare(before), bare(after)]),
  )

/** Whether a Data is flagged as sensitive is not part of its value. */
const bare = (value: TypedValue): unknown => (value['@type'] === 'Data' ? ['Data', value.value] : value)
