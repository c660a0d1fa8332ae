import { globSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { root } from './process.ts'

/** Kinds of types that readers of a document know by a name; texts and numbers are shown as what they are. */
const NAMED = new Set(['object', 'union', 'enum', 'array', 'record', 'intersection'])

/**
 * The types of the contract with the names under which they are exported, for the components of a document. Of two types with one name, the
 * first in the order of the files has it.
 */
export async function namedTypes(): Promise<Map<z.ZodType, string>> {
  const files = globSync('contract/{protocol,endpoint,runtime-api,console-api}/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
  const names = new Map<z.ZodType, string>()
  const taken = new Set<string>()
  for (const file of files) {
    const module = (await import(join(root, file))) as Record<string, unknown>
    for (const [name, value] of Object.entries(module)) {
      const isNamed = value instanceof z.ZodType && /^[A-Z][A-Za-z]*$/.test(name) && NAMED.has(value.def.type)
      if (!isNamed || taken.has(name) || names.has(value)) continue
      names.set(value, name)
      taken.add(name)
    }
  }
  return names
}
