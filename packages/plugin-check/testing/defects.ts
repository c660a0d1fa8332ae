import { ANSWER_DEFECTS } from './defects/answers.ts'
import { WRITE_DEFECTS } from './defects/written-properties.ts'
import { REQUEST_DEFECTS } from './defects/requests.ts'
import { SECRET_DEFECTS } from './defects/secrets.ts'
import { TOKEN_DEFECTS } from './defects/tokens.ts'
import { REFERENCE_DEFECTS } from './defects/references.ts'
import { REPEAT_DEFECTS } from './defects/repeats.ts'
import { CONCURRENCY_DEFECTS } from './defects/concurrency.ts'
import { LATE_DEFECTS } from './defects/late-calls.ts'
import { INSTALLATION_DEFECTS } from './defects/installations.ts'
import { MODULE_DEFECTS } from './defects/modules.ts'

/** What can be wrong with the reference plugin, by the name that plants it. */
export const DEFECTS = {
  ...ANSWER_DEFECTS,
  ...WRITE_DEFECTS,
  ...REQUEST_DEFECTS,
  ...TOKEN_DEFECTS,
  ...SECRET_DEFECTS,
  ...REFERENCE_DEFECTS,
  ...REPEAT_DEFECTS,
  ...CONCURRENCY_DEFECTS,
  ...LATE_DEFECTS,
  ...INSTALLATION_DEFECTS,
  ...MODULE_DEFECTS,
}

export type DefectName = keyof typeof DEFECTS
