import { createActorAssertions, loadActorKey } from '#bff/runtime/actor-assertion.ts'
import { checkRuntime } from '#bff/runtime/check-runtime.ts'
import { egressTo } from '#http-kit/egress.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { findPersistentSecret } from '#http-kit/secret-files.ts'
import type { Deployment } from '../deployment.ts'
import { ok, fail, skip } from './finding.ts'
import type { Finding } from './finding.ts'

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
