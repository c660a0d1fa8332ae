import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Delivery } from '../invariants/evidence.ts'

// What plugin processes record on disk, for the suite to read. Deliveries are lines of a file, written before anything else
// is done; effects are rows, committed together with the stored response.

export const EFFECT_SCHEMA = `
  CREATE TABLE IF NOT EXISTS effect (
    operation_id TEXT NOT NULL,
    stage TEXT NOT NULL,
    delivery TEXT NOT NULL
  ) STRICT;`

export const DELIVERIES_FILE = 'deliveries.jsonl'
export const storeFile = (folder: string, pluginId: string): string => join(folder, `${pluginId}.sqlite`)

/** `id` is unique among all processes of the plugin; `fault` is the fault that is injected, or `none`. */
export type DeliveryLine =
  | { kind: 'arrived'; id: string; fault: string; delivery: Delivery }
  | { kind: 'answered'; id: string; answered: Delivery['answered'] }

/** All deliveries in the order of their arrival, including those of killed processes. */
export function readDeliveries(folder: string): Delivery[] {
  const effects = readEffects(folder)
  const found = new Map<string, Delivery>()
  for (const text of readFileSync(join(folder, DELIVERIES_FILE), 'utf8').split('\n')) {
    const line = parse(text)
    if (line?.kind === 'arrived') {
      const { delivery, id } = line
      found.set(id, { ...delivery, isEffect: effects.has(`${delivery.pluginId} ${id}`) })
    } else if (line?.kind === 'answered') {
      const delivery = found.get(line.id)
      if (delivery !== undefined) delivery.answered = line.answered
    }
  }
  return [...found.values()]
}

/** Null for a line that is truncated because the process was killed. */
function parse(text: string): DeliveryLine | null {
  try {
    // only the plugin process writes this file
    return text === '' ? null : (JSON.parse(text) as DeliveryLine)
  } catch {
    return null
  }
}

/** Plugin and id of each delivery that had an effect. */
function readEffects(folder: string): Set<string> {
  const effects = new Set<string>()
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(folder, name), { readOnly: true, timeout: 5_000 })
    const rows = database.prepare('SELECT delivery FROM effect').all()
    database.close()
    for (const row of rows) effects.add(`${name.replace(/\.sqlite$/, '')} ${String(row['delivery'])}`)
  }
  return effects
}
