import type { Scope } from '#contract/protocol/scope.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { Behaviour } from '#plugin/examples/scripted/script.ts'
import type { System } from './system.ts'

export interface InstallFailure {
  /** Default: CRM suite. */
  bundle?: string
  /** What the plugin does, attempt by attempt; the last behaviour stays. */
  sequence: readonly (Partial<Behaviour> & Pick<Behaviour, 'kind'>)[]
  /** Default: before the resources are changed. */
  stage?: Stage
}

/** Installs a bundle whose plugin fails in this way, each time in a separate scope; other operations do not fail. */
export async function failInstall(
  system: System,
  { bundle = 'crm-suite', sequence, stage = 'BEFORE_RESOURCES' }: InstallFailure,
): Promise<{ scope: Scope; bundleInstallId: string; operation: Operation }> {
  const scope = system.newScope()
  // each rule is added before the others
  for (const [index, behaviour] of [...sequence.entries()].toReversed())
    await system.script.add({
      when: { workspaceId: scope.workspaceId, operationType: 'INSTALL', stage },
      ...(index < sequence.length - 1 && { times: 1 }),
      behaviour,
    })
  return { scope, ...(await system.install(scope, bundle, '1.0.0')) }
}
