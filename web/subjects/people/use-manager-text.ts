import type { ConfigurationResource } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'

/** `person`, `apply:<name>`, `plugin:<pluginId>` or `default:<version>`. */
export type Manager = NonNullable<ConfigurationResource['managedBy']>[string]

const NAMED = ['apply', 'plugin', 'default'] as const

/** The parts of a manager that has a name; null for a person. */
export function namedManager(manager: Manager): { kind: (typeof NAMED)[number]; name: string } | null {
  const kind = NAMED.find((one) => manager.startsWith(`${one}:`))
  return kind === undefined ? null : { kind, name: manager.slice(kind.length + 1) }
}

export const isManagedBy = (manager: Manager, kind: (typeof NAMED)[number]): boolean =>
  namedManager(manager)?.kind === kind

/** Returns a function that names a manager inside a sentence. */
export function useManagerText(): (manager: Manager) => string {
  const t = useText()
  return (manager) => {
    const named = namedManager(manager)
    return named === null
      ? t('common.manager.person')
      : t(`common.manager.${named.kind}`, { name: named.name })
  }
}
