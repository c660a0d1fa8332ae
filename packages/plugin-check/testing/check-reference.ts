import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CASES } from '../src/cases/all-cases.ts'
import type { Case } from '../src/cases/case.ts'
import { check } from '../src/commands/check.ts'
import { isFinding, type Report } from '../src/report/report.ts'
import type { Defect } from './defects/defect.ts'
import { DEFECTS, type DefectName } from './defects.ts'
import { freePort } from '../../../database/free-port.ts'
import { startReferencePlugin } from './reference-plugin.ts'
import { referenceProfile } from './reference-profile.ts'
import type { StyleName } from './styles.ts'

export interface ReferenceCheckOptions {
  /** Null: the reference plugin without a defect. */
  defect: DefectName | null
  /** Another correct way to do the same; default: none. */
  style?: StyleName | null
  seed: number
  /** True: the checker starts the plugin as a process, so that it can kill it; false: in this process. */
  isProcess: boolean
  /** How long each answer takes at least; default 0. */
  answerMs?: number
  cases?: readonly Case[]
}

/** Runs the checker against the reference plugin, with one planted defect or without. */
export async function checkReference({
  defect,
  style = null,
  seed,
  isProcess,
  answerMs = 0,
  cases = CASES,
}: ReferenceCheckOptions): Promise<Report> {
  const platformPort = await freePort()
  if (!isProcess) {
    const platform = `http://127.0.0.1:${platformPort}`
    const plugin = await startReferencePlugin({ platform, file: null, defect, style, answerMs })
    try {
      const url = `${plugin.url}/lifecycle`
      return await check({ url, profile: referenceProfile(plugin.url), seed, platformPort, cases })
    } finally {
      await plugin.close()
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'plugin-check-'))
  try {
    const address = `http://127.0.0.1:${await freePort()}`
    const program = { file: join(folder, 'state.json'), defect: defect ?? '', style: style ?? '', answerMs }
    const profile = referenceProfile(address, program)
    return await check({ url: `${address}/lifecycle`, profile, seed, platformPort, cases })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The MUST cases that did not pass. */
export const findingsOf = (report: Report): string[] => report.cases.filter(isFinding).map(({ id }) => id)

/** The findings that have nothing to do with the defect. */
export function unrelatedTo(name: DefectName, findings: readonly string[]): string[] {
  const { own, related }: Defect = DEFECTS[name]
  return findings.filter(
    (id) =>
      id !== own && !related.some((other) => other === '*' || id === other || id.startsWith(`${other}.`)),
  )
}
