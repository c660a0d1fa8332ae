import type { Operation } from '#contract/console-api/shapes.ts'

/** The installed version, or the change from one version to another. */
export function versionsText({
  currentVersion,
  targetVersion,
}: Pick<Operation, 'currentVersion' | 'targetVersion'>) {
  return currentVersion === null || currentVersion === targetVersion
    ? targetVersion
    : `${currentVersion} → ${targetVersion}`
}
