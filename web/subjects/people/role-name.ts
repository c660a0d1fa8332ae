import { ROLES } from '#contract/console-api/role-text.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** A role in words; a role that this console does not know is shown unchanged. */
export function roleName(role: string, t: Translate): string {
  const known = ROLES.find((name) => name === role)
  return known ? t(`vocabulary.role.${known}`) : role
}
