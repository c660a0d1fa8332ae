import { readJson } from '../invariants/reader.ts'
import type { Reader } from '../invariants/reader.ts'
import type { Violation } from '../suite.ts'
import type { Watcher } from './watcher.ts'

interface NewestEvent {
  object: string
  version: number
  /** Of an operation, as it stands. */
  state: string | null
}

/**
 * I14 as a reader sees it: whoever goes on from the last id after every loss of the line has in the end been told the
 * newest of each object, and its row as it stands. Only rows of objects are told, not each step on the way.
 */
export async function checkWatcher(reader: Reader, watcher: Watcher): Promise<Violation[]> {
  const [xid = '0', eventId = '0'] = (watcher.beganAt() ?? '').split('-')
  const newest = (await readJson(
    reader,
    `select coalesce(json_agg(newest), '[]')::text as json from (
       select kind || ' ' || object_id as object, max(coalesce(version, event_id)) as version,
         (select state from runtime.operation where kind = 'operation' and operation_id::text = object_id) as state
       from runtime.event
       where event_xid > $1::xid8 or (event_xid = $1::xid8 and event_id > $2)
       group by kind, object_id) newest`,
    [xid, eventId],
    // the statement selects just this shape
  )) as NewestEvent[]
  const broken = (seen: string): Violation => ({ promise: 'I14', seen })
  const found = newest.flatMap(({ object, version, state }) => {
    const told = watcher.newest.get(object)
    if (told === undefined) return [broken(`the watcher was never told of ${object}`)]
    if (told.version < version)
      return [broken(`the watcher was told of ${object} up to ${told.version}, not ${version}`)]
    const row = told.event.kind === 'operation' ? told.event.row.state : null
    return row === state ? [] : [broken(`the watcher was told that ${object} is ${row}, and it is ${state}`)]
  })
  if (watcher.resets() > 0) found.push(broken(`the watcher was told ${watcher.resets()} times to begin anew`))
  return found
}
