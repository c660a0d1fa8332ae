import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { RoleEntry } from './roles.ts'
import type { RoleMap } from './roles.ts'

const RoleMapFile = z.record(z.string().min(1).max(512), z.array(RoleEntry).max(100))

const SHAPE =
  'a JSON object is needed that gives each value of the claim a list of roles, such as {"team-a": ["operator@production"]}'

/**
 * Reads `OIDC_ROLE_MAP_FILE`.
 *
 * @throws SettingsError with one line that says which value of the claim is wrong.
 */
export function readRoleMap(file: string): RoleMap {
  const subject = `OIDC_ROLE_MAP_FILE is wrong: ${file}`
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    throw new SettingsError(`${subject} cannot be read`)
  }
  let json: unknown
  try {
    json = parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new SettingsError(`${subject}: ${error.messageWithoutPath}`)
  }
  const map = RoleMapFile.safeParse(json)
  if (map.success) return new Map(Object.entries(map.data))
  const [value, index] = map.error.issues[0]?.path ?? []
  if (value === undefined) throw new SettingsError(`${subject}: ${SHAPE}`)
  const place = JSON.stringify(String(value)) + (index === undefined ? '' : `, entry ${Number(index) + 1}`)
  throw new SettingsError(`${subject}: the roles of ${place} are wrong; ${SHAPE}`)
}
