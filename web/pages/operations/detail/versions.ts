import type { Operation } from '#contract/console-api/shapes.ts'

/** The version that is installed, or the way from one to another. */
export function versionsText({
  currentVersion,
  targetVersion,
}: Pick<Operation, 'currentVersion' | 'targetVersion'>) {
  return currentVersion === null || currentVersion === targetVersion
    ? targetVersion
    : `${currentVersion} → ${targetVersion}`
}
