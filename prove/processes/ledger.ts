import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Delivery } from '../invariants/evidence.ts'

// What the plugins of a suite keep on disk, as their process writes it and the suite reads it. Deliveries are lines of a
// file, written before anything is done; effects are rows, committed together with the memory of the answer.

export const EFFECT_SCHEMA = `
  CREATE TABLE IF NOT EXISTS effect (
    operation_id TEXT NOT NULL,
    stage TEXT NOT NULL,
    delivery TEXT NOT NULL
  ) STRICT;`

export const DELIVERIES_FILE = 'deliveries.jsonl'
export const storeFile = (folder: string, pluginId: string): string => join(folder, `${pluginId}.sqlite`)

/** What the plugin knows of a delivery when it arrives. */
export interface Arrival {
  /** Its name, unique among all processes of the plugin. */
  delivery: string
  pluginId: string
  operationId: string
  stage: Stage
  bundleInstallId: string
  executionSequence: number
  bodyHash: string
  /** The fault that was chosen for it; `none` is an honest answer. */
  fault: string
}

export type DeliveryLine =
  | ({ kind: 'arrived' } & Arrival)
  | { kind: 'answered'; delivery: string; answered: Delivery['answered'] }

/** In the order of their arrival, whatever happened to the plugin's process. */
export function readLedger(folder: string): Delivery[] {
  const effects = readEffects(folder)
  const found = new Map<string, Delivery>()
  for (const text of readFileSync(join(folder, DELIVERIES_FILE), 'utf8').split('\n')) {
    const line = parse(text)
    if (line?.kind === 'arrived') {
      const { kind: _, fault: __, delivery, ...arrival } = line
      const isEffect = effects.has(`${arrival.pluginId} ${delivery}`)
      found.set(delivery, { ...arrival, isEffect, answered: 'nothing' })
    } else if (line?.kind === 'answered') {
      const delivery = found.get(line.delivery)
      if (delivery !== undefined) delivery.answered = line.answered
    }
  }
  return [...found.values()]
}

/** A line may be cut where the process was killed. */
function parse(text: string): DeliveryLine | null {
  try {
    // only the plugin's process writes this file
    return text === '' ? null : (JSON.parse(text) as DeliveryLine)
  } catch {
    return null
  }
}

/** The deliveries that had an effect, each after its plugin. */
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
