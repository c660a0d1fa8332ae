import { FIELDS } from './bundle.ts'
import { InvariantViolation, type Model } from './model.ts'
import type { SavedSnapshot } from './history.ts'
import { isMeant, sameValue, valueOf } from './values.ts'

/** Checks a snapshot that the person saved: it contains only their edits, and overwrites nothing that they have not seen. */
export function checkSave(model: Model, { version, savedBy, cause, properties }: SavedSnapshot): void {
  if (savedBy !== 'olivia' || cause !== 'SAVE') return
  model.noteSentSecrets(version)
  for (const property of properties) {
    const field = FIELDS.find((one) => one.property === property)
    const mine = model.sent?.edits.get(property)
    if (model.sent === null || field === undefined || mine === undefined)
      throw new InvariantViolation('only my edits are saved', `${property} in snapshot ${version}`)
    const after = model.history.since(property, version)[0]
    const wanted = mine.isRemoved ? null : valueOf(field.kind, mine.content)
    const isMine = after !== undefined && wanted !== undefined && isMeant(wanted, after.value)
    if (field.kind !== 'secret' && !isMine)
      throw new InvariantViolation(
        'what is saved is what I typed',
        `${property} is ${JSON.stringify(after?.value)}, I typed ${JSON.stringify(mine.content)}`,
      )
    const overwritten = model.history.before(property, version)
    const wasSeen =
      field.kind === 'secret'
        ? (overwritten?.version ?? 0) <= mine.seenVersion
        : mine.seen.some((value) => sameValue(value, overwritten?.value ?? null))
    if (!wasSeen)
      throw new InvariantViolation(
        'nothing is overwritten that I did not see',
        `${property} was ${JSON.stringify(overwritten?.value)} of snapshot ${overwritten?.version}, I had seen ${JSON.stringify(mine.seen)} up to ${mine.seenVersion}`,
      )
    model.set(model.sent.tab, field, null)
  }
}
