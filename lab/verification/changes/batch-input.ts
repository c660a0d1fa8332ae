import { wrapData } from '#contract/protocol/data.ts'
import type { BatchTargets } from '#contract/runtime-api/batches.ts'
import { coreOf } from '../bundles.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { InstallationView } from '../simulation/users.ts'

/** Any batch over these installations, mostly in waves. */
export function randomBatch(
  random: SeededRandom,
  installations: readonly InstallationView[],
  environments: readonly string[],
): BatchTargets {
  const chosen = installations.filter(() => random.chance(0.9))
  const of = chosen.length > 0 ? chosen : [...installations]
  const targets = of.map(({ bundleInstallId }) => bundleInstallId)
  const limits = {
    targets,
    ...(random.chance(0.3) && { concurrency: 1 }),
    ...(random.chance(0.2) && { stopAfterFailures: 1 }),
    ...(random.chance(0.85) && {
      waves: {
        ...(random.chance(0.4)
          ? { environments: [random.pick(environments)] }
          : { sizes: random.pick([[1], [1, 1], ['50%', 1], ['34%', '34%']]) }),
        soakSeconds: random.pick([0, random.integer(1, 15)]),
        maxFailures: random.pick([0, 0, 1, '50%']),
        ...(random.chance(0.3) && { minPluginSuccess: random.pick([50, 80]) }),
      },
    }),
  }
  if (random.chance(0.3))
    return { action: 'UPGRADE', ...limits, input: { targetVersion: random.pick(['1.0.0', '2.0.0']) } }
  const values = of.map(({ bundleInstallId, bundle }) => [
    bundleInstallId,
    { [coreOf(bundle)]: { name: wrapData(`name ${random.below(4)}`) } },
  ])
  return { action: 'CONFIGURE', ...limits, input: { values: Object.fromEntries(values) } }
}
