import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { exportKey, importKey, newSigningKey } from '../wire/keys.ts'
import type { Platform } from '../wire/platform.ts'

const StoredKey = z.object({ kid: z.string(), pem: z.string() })
const StoredKeys = z.tuple([StoredKey, StoredKey])

/**
 * The keys of the checker's platform, made once and kept in the store, readable by its owner only: a running plugin
 * caches the key set, so keys that are new in every run would be refused until the plugin fetches the set again.
 */
export function loadKeys(store: string): Platform['keys'] {
  const file = join(store, 'keys.json')
  try {
    const [first, second] = StoredKeys.parse(JSON.parse(readFileSync(file, 'utf8')))
    return [importKey(first), importKey(second)]
  } catch {
    const keys = [newSigningKey(), newSigningKey()] as const
    mkdirSync(store, { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(keys.map(exportKey)), { mode: 0o600 })
    return keys
  }
}
