import { loadActorKey, createActorAssertions } from '#bff/runtime/actor-assertion.ts'
import { findPersistentSecret } from '#http-kit/secret-files.ts'
import { loadActorKeys } from '#runtime/config.ts'
import type { Db } from '#runtime/model/db.ts'
import { whyNoKeys } from '#runtime/http/callers.ts'
import { wrongKey } from '#runtime/keys/open-vault.ts'
import { readSealingKeys } from '#runtime/keys/sealing-key.ts'
import { listDataKeys } from '#runtime/store/data-keys.ts'
import type { Deployment } from '../deployment.ts'
import { ok, fail, skip, warn } from './finding.ts'
import type { Finding } from './finding.ts'
import { checkRuntime } from '#bff/runtime/check-runtime.ts'
import { egressTo } from '#http-kit/egress.ts'
import { createOutbound } from '#http-kit/outbound.ts'

/**
 * Whether the sealing key opens the values of the database. Creates no key.
 *
 * @param db null if it cannot be reached.
 * @param isMigrated whether the tables of the runtime exist.
 */
export async function checkSealingKey(
  { dataDir, runtime }: Deployment,
  db: Db | null,
  isMigrated: boolean,
): Promise<Omit<Finding, 'check'>> {
  if (runtime === null) return skip('only runtimes have a sealing key')
  const keys = await readSealingKeys({ dataDir, files: runtime.sealingKeyFiles })
  if (db === null) return skip('there is no database to compare the sealing key with')
  const dataKeys = isMigrated ? await listDataKeys(db) : []
  if (keys.length === 0 && dataKeys.length > 0)
    return fail(
      'there is no sealing key, and the database holds sealed values; restore it, or name it in SEALING_KEY_FILE',
    )
  if (keys.length === 0) return ok('the first start creates a sealing key; back it up')
  const foreign = dataKeys.find(({ fingerprint }) => !keys.some((key) => key.fingerprint === fingerprint))
  if (foreign !== undefined) throw wrongKey(foreign, keys)
  // during a key change, whether this replica has the next one
  const named = keys.map(({ source, fingerprint }) => `${source} (${fingerprint})`).join(' and ')
  return ok(
    dataKeys.length === 0
      ? `the sealing key can be read: ${named}`
      : `the sealing key opens the values of the database: ${named}`,
  )
}

/** Whether the key of the console and the key set of the runtime can be read, and belong together if both are here. */
export async function checkAssertionKey({
  dataDir,
  console,
  runtime,
}: Deployment): Promise<Omit<Finding, 'check'>> {
  if (runtime?.actorAssertionJwks != null) {
    const keys = await loadActorKeys(runtime.actorAssertionJwks)
    const problem = 'reload' in keys ? await keys.reload().then(() => null, whyNoKeys) : null
    // before the first start of the consoles, nobody serves their keys
    if (problem !== null) return warn(`the key set cannot be fetched: ${problem}`)
  }
  if (console === null) return ok('the key set in ACTOR_ASSERTION_JWKS can be read')
  const file = console.assertionKeyFile ?? null
  const isStored = (await findPersistentSecret({ directory: dataDir, file: 'actor-key.json' })) !== null
  if (file === null && !isStored) return ok('the first start creates the key of the console')
  const { kid } = await loadActorKey(dataDir, file)
  return ok(`the console signs with the key ${kid}`)
}

/** Whether the remote runtime of a console responds, and accepts its credential and its key. */
export async function checkRemoteRuntime({ dataDir, console }: Deployment): Promise<Omit<Finding, 'check'>> {
  if (console?.runtime == null) return skip('the runtime is not a remote one')
  const { baseUrl, credential } = console.runtime
  const file = console.assertionKeyFile ?? null
  if (file === null && (await findPersistentSecret({ directory: dataDir, file: 'actor-key.json' })) === null)
    return skip('the console has no key yet; start it once, or set ACTOR_ASSERTION_KEY_FILE')
  const key = await loadActorKey(dataDir, file)
  const { host } = new URL(baseUrl)
  const outbound = createOutbound({ egressAllow: egressTo(baseUrl) })
  try {
    const { problem } = await checkRuntime({
      outbound,
      baseUrl,
      credential,
      key,
      assertionOf: createActorAssertions(key),
    })
    return problem === null ? ok(`${host} accepts the credential and the key of the console`) : fail(problem)
  } finally {
    await outbound.close()
  }
}
