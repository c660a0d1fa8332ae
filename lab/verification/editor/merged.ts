import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { plainOf } from '#web/ui/value/plain-value.ts'
import type { Value } from './values.ts'

/** What the person chose where both had changed the same leaf. */
export type Take = 'theirs' | 'mine'

type Json = JsonValue | undefined
interface Sides {
  base: Json
  theirs: Json
  mine: Json
  now: Json
}

/**
 * Why a merged value is not what it should be; null if it keeps each change of both sides. It shares no code of the
 * console's merge, and knows less: of a leaf that both changed it knows the choice only if there was one choice for all.
 */
export function mergeDiffers(
  values: { base: Value; theirs: Value; mine: Value; now: Value },
  takes: readonly Take[],
): string | null {
  const { base, theirs, mine, now } = values
  return differsAt(
    { base: plain(base), theirs: plain(theirs), mine: plain(mine), now: plain(now) },
    takes,
    '',
  )
}

const plain = (value: Value): Json => (value === null ? undefined : plainOf(value))

function differsAt(at: Sides, takes: readonly Take[], path: string): string | null {
  const { base, theirs, mine, now } = at
  const isMine = deepEqual(base, theirs)
  if (isMine || deepEqual(base, mine) || deepEqual(theirs, mine))
    return deepEqual(now, isMine ? mine : theirs) ? null : tell(at, path)
  if (isJsonObject(theirs) && isJsonObject(mine) && (base === undefined || isJsonObject(base))) {
    if (!isJsonObject(now)) return tell(at, path)
    const names = new Set([base ?? {}, theirs, mine, now].flatMap((side) => Object.keys(side)))
    for (const name of names) {
      const inside = { base: base?.[name], theirs: theirs[name], mine: mine[name], now: now[name] }
      const difference = differsAt(inside, takes, `${path}/${name}`)
      if (difference !== null) return difference
    }
    return null
  }
  if (Array.isArray(theirs) && Array.isArray(mine) && (base === undefined || Array.isArray(base)))
    return Array.isArray(now) && keepsItems({ base: base ?? [], theirs, mine, now }, takes)
      ? null
      : tell(at, path)
  const only = takes.every((take) => take === takes[0]) ? takes[0] : undefined
  const allowed = takes.length === 0 ? [] : only === undefined ? [base, theirs, mine] : [at[only]]
  return allowed.some((one) => deepEqual(one, now)) ? null : tell(at, path)
}

const tell = ({ base, theirs, mine, now }: Sides, path: string): string =>
  `${path === '' ? 'the value' : path}: ${[base, theirs, mine].map((side) => JSON.stringify(side)).join(' / ')} became ${JSON.stringify(now)}`

type Lists = Record<keyof Sides, JsonValue[]>

function keepsItems(lists: Lists, takes: readonly Take[]): boolean {
  const [base, theirs, mine, now] = [lists.base, lists.theirs, lists.mine, lists.now].map((list) =>
    list.map((item) => JSON.stringify(item)),
  )
  if (!base || !theirs || !mine || !now) return false
  const count = (list: readonly string[], item: string) => list.filter((one) => one === item).length
  const all = [...new Set([...base, ...theirs, ...mine, ...now])]
  // where there was a choice, what the other side added in the same place may be gone
  const mustKeep = takes.length === 0 ? [theirs, mine] : []
  if (takes.length > 0 && takes.every((take) => take === 'mine')) mustKeep.push(mine)
  if (takes.length > 0 && takes.every((take) => take === 'theirs')) mustKeep.push(theirs)
  const added = (side: readonly string[]) => all.filter((item) => count(side, item) > count(base, item))
  if (mustKeep.some((side) => added(side).some((item) => !now.includes(item)))) return false
  if (all.some((item) => now.includes(item) && ![base, theirs, mine].some((side) => side.includes(item))))
    return false
  const isSimple =
    takes.length === 0 && [base, theirs, mine].every((list) => new Set(list).size === list.length)
  if (!isSimple) return true
  const isRemoved = (item: string) => base.includes(item) && !(theirs.includes(item) && mine.includes(item))
  if (now.some(isRemoved) || new Set(now).size !== now.length) return false
  const common = base.filter((item) => theirs.includes(item) && mine.includes(item))
  const isTurned = (list: readonly string[], one: string, other: string) =>
    list.indexOf(one) > list.indexOf(other)
  return common.every(
    (one, index) =>
      now.includes(one) &&
      common
        .slice(index + 1)
        .every(
          (other) =>
            isTurned(now, one, other) === (isTurned(theirs, one, other) || isTurned(mine, one, other)),
        ),
  )
}
