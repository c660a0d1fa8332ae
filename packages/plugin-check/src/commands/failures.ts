import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { Report } from '../report/report.ts'

/** A case that failed, stored so that it can be sent again. */
const StoredFailure = z.object({ id: z.string(), seed: z.number().int(), problem: z.string() })
export type StoredFailure = z.infer<typeof StoredFailure>

/** Stores every failed case of the report in the store, and removes the cases that passed. */
export function storeFailures(store: string, report: Report): void {
  mkdirSync(join(store, FOLDER), { recursive: true })
  for (const { id, status, problem } of report.cases) {
    if (status === 'FAILED') {
      const failure: StoredFailure = { id, seed: report.seed, problem: problem ?? '' }
      writeFileSync(fileOf(store, id), `${JSON.stringify(failure, null, 2)}\n`)
    } else if (status === 'PASSED') removeFailure(store, id)
  }
}

export const removeFailure = (store: string, id: string): void => rmSync(fileOf(store, id), { force: true })

/** The stored failures by id; files that are none, or are not named after their id, are skipped. */
export function readFailures(store: string): StoredFailure[] {
  let names: string[]
  try {
    names = readdirSync(join(store, FOLDER)).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
  return names.sort().flatMap((name) => {
    try {
      const reading = StoredFailure.safeParse(JSON.parse(readFileSync(join(store, FOLDER, name), 'utf8')))
      return reading.success && name === fileName(reading.data.id) ? [reading.data] : []
    } catch {
      return []
    }
  })
}

const FOLDER = 'failures'

const fileName = (id: string): string => `${id}.json`
const fileOf = (store: string, id: string): string => join(store, FOLDER, fileName(id))
