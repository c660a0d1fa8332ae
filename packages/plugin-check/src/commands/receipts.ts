import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { getOwn, isJsonObject } from '../../../../contract/json-schema/json.ts'
import { parseProfile, readJsonFile, readProfile, UsageError, type Profile } from '../profile.ts'
import { describePointer, findMasked, parseValue, type MaskedValues } from '../receipt/masked-values.ts'
import { FailedCall } from '../receipt/read-receipt.ts'
import type { PermittedWrites } from '../receipt/replay-receipt.ts'

/** A failure of production, kept with the values that were masked in it, so that it can be sent again. */
const KeptReceipt = z.object({ id: z.string(), call: FailedCall, values: z.record(z.string(), z.json()) })
export type KeptReceipt = z.infer<typeof KeptReceipt>

const FOLDER = 'receipts'

export const idOf = ({ request: { operation, stage } }: FailedCall): string =>
  `${operation.operationType}.${stage}.${operation.operationId}`

/** Readable by its owner only: the values may be secrets of a test system. */
export function keepReceipt(store: string, kept: KeptReceipt): void {
  mkdirSync(join(store, FOLDER), { recursive: true, mode: 0o700 })
  const file = join(store, FOLDER, `${fileName(kept.id)}.json`)
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
}

/** The operation of a receipt that somebody gave may have any name, also one that leads to another folder. */
const fileName = (id: string): string =>
  /^[\w.-]{1,200}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')

/** The kept receipts by id; files that are none are skipped. */
export function readKept(store: string): KeptReceipt[] {
  const folder = join(store, FOLDER)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      try {
        const reading = KeptReceipt.safeParse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
        return reading.success ? [reading.data] : []
      } catch {
        return []
      }
    })
}

/** Asks for a value without showing it; null if nobody can be asked. */
export type Ask = (question: string) => Promise<string | null>

/** The pointers of everything that is masked in a call and in those before it, each once. */
const maskedIn = (call: FailedCall): string[] => [
  ...new Set([...call.earlier, call.request].flatMap(findMasked)),
]

/**
 * The values of everything that is masked in a call. What is not known is asked for.
 *
 * @throws UsageError if nobody can be asked; it names everything that is missing.
 */
export async function completeValues(
  call: FailedCall,
  known: MaskedValues,
  ask: Ask,
): Promise<KeptReceipt['values']> {
  const values: KeptReceipt['values'] = { ...known }
  const missing = maskedIn(call).filter((pointer) => !Object.hasOwn(values, pointer))
  for (const pointer of missing) {
    const given = await ask(`Test value for ${describePointer(pointer)}, which the receipt masks: `)
    if (given === null) {
      const wanted = missing.map((one) => `${JSON.stringify(one)}: VALUE`).join(', ')
      throw new UsageError(
        `The receipt masks ${missing.map(describePointer).join(', ')}. Run plugin-check in a terminal, or give --values FILE with {${wanted}}.`,
      )
    }
    values[pointer] = parseValue(given, pointer)
  }
  return values
}

/** Reads `--values`: a JSON object of values by pointer. Throws a UsageError, also for what the call does not mask. */
export function readValues(file: string | undefined, call: FailedCall): MaskedValues {
  if (file === undefined) return {}
  const values = parseValues(file)
  const pointers = maskedIn(call)
  const unknown = Object.keys(values).filter((pointer) => !pointers.includes(pointer))
  if (unknown.length > 0)
    throw new UsageError(
      `The values ${file} name ${unknown.join(', ')}, which the receipt does not mask. ${pointers.length === 0 ? 'It masks nothing.' : `It masks ${pointers.join(', ')}.`}`,
    )
  return values
}

function parseValues(file: string): MaskedValues {
  const shape = 'They are a JSON object of values by JSON pointer.'
  const json = readJsonFile(file, { subject: 'The values', ifMissing: shape, ifWrong: 'Correct it there.' })
  if (!isJsonObject(json)) throw new UsageError(`The values ${file} are wrong. ${shape}`)
  return json
}

/** What the checker must know to send the call of a receipt. */
export interface ReceiptSetting {
  profile: Profile
  /** The properties that the plugin may write, by locator; a resource of which that is not known is absent. */
  permitted: PermittedWrites
}

/**
 * The profile for a receipt: plugin and resources are those of the call, everything else is that of the file, if it
 * exists. What the plugin may write is what the receipt tells; otherwise each resource may be written as any resource of
 * the file.
 */
export function settingFor({ request, permitted: told }: FailedCall, file: string): ReceiptSetting {
  const base = existsSync(file) ? readProfile(file) : null
  const ofFile =
    base === null ? null : Object.values(base.resources).flatMap(({ writes }) => Object.keys(writes))
  const permitted: PermittedWrites = Object.fromEntries(
    Object.keys(request.resources).flatMap((locator) => {
      const names = getOwn(told, locator) ?? ofFile
      return names === null ? [] : [[locator, names]]
    }),
  )
  const resources = Object.fromEntries(
    Object.entries(request.resources).map(([locator, { properties, references }]) => [
      locator,
      {
        properties: Object.fromEntries(Object.entries(properties).map(([name, { value }]) => [name, value])),
        references,
        writes: Object.fromEntries((getOwn(permitted, locator) ?? []).map((name) => [name, {}])),
      },
    ]),
  )
  const { pluginId, configuration } = request
  return {
    profile: parseProfile({ ...base, pluginId, resources, configuration }, 'of the receipt'),
    permitted,
  }
}
