import { createHash, randomBytes } from 'node:crypto'
import { takesNoWrites, throwUnless } from '#database/unreachable.ts'
import { Refusal } from '../../engine/domain-error.ts'
import { findCredential } from '../../store/plugins/find-credential.ts'
import { noteCredentialUse } from '../../store/plugins/note-credential-use.ts'
import type { Db } from '../../deps/runtime-deps.ts'

/** Every secret starts with this prefix, so that secrets can be found inside a text. */
export const SECRET_PREFIX = 'bpc_'
/** Matches anywhere, even between other letters: 32 bytes are 43 characters of base64url. */
const SECRET = /(?=(bpc_[\w-]{43}))bpc_/g

/** A new secret of 256 bits, and what is kept of it. */
export function makeSecret(): { secret: string; hash: Buffer } {
  const secret = `${SECRET_PREFIX}${randomBytes(32).toString('base64url')}`
  return { secret, hash: hashOf(secret) }
}

/** Every part of a text that has the shape of a secret; its hash tells whether it is one. */
export function possibleSecretsIn(text: string): string[] {
  return text.includes(SECRET_PREFIX) ? [...text.matchAll(SECRET)].map(([, secret = '']) => secret) : []
}

/**
 * The plugin whose credential this is, or null where nobody's is.
 *
 * Throws Refusal CREDENTIAL_REVOKED, and PLUGIN_NOT_REGISTERED where the plugin is disabled.
 */
export async function authenticatePlugin(db: Db, secret: string): Promise<string | null> {
  const holder = await findCredential(db, hashOf(secret))
  if (holder === undefined) return null
  if (holder.revoked_at !== null)
    throw new Refusal('CREDENTIAL_REVOKED', 'This plugin credential was revoked.')
  if (!holder.enabled) {
    throw new Refusal('PLUGIN_NOT_REGISTERED', `The plugin ${holder.plugin_id} is disabled.`, {
      retryable: true,
    })
  }
  // a commit for each resolution would cost more than the resolution
  if (holder.is_use_stale) await noteCredentialUse(db, holder.credential_id).catch(throwUnless(takesNoWrites))
  return holder.plugin_id
}

/** The hash under which a secret is stored. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
