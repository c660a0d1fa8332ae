import type { Operation } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'

/** The key of the name of an operation: an UPGRADE to an older version is a downgrade. */
export const operationTypeKey = ({
  operationType,
  currentVersion,
  targetVersion,
}: Pick<Operation, 'operationType' | 'currentVersion' | 'targetVersion'>) =>
  operationType === 'UPGRADE' && isDowngrade(currentVersion, targetVersion)
    ? ('vocabulary.type.DOWNGRADE' as const)
    : (`vocabulary.type.${operationType}` as const)
