import { ANSWER_CASES } from './answers.ts'
import type { Case } from './case.ts'
import { CONCURRENCY_CASES } from './concurrency.ts'
import { CONNECTION_CASES } from './connections.ts'
import { CRASH_CASES } from './crashes.ts'
import { DETACH_CASES } from './detach.ts'
import { INSTALLATION_CASES } from './installations.ts'
import { KEY_CASES } from './keys.ts'
import { LATE_CASES } from './late-calls.ts'
import { MODULE_CASES } from './modules.ts'
import { OTHER_BYTES_CASES } from './other-bytes.ts'
import { REFERENCE_CASES } from './references.ts'
import { REPEAT_CASES } from './repeats.ts'
import { REQUEST_CASES } from './requests.ts'
import { SCENARIO_CASES } from './scenarios.ts'
import { SERVICE_CASES } from './services.ts'
import { SECRET_CASES } from './secrets.ts'
import { TOKEN_CASES } from './tokens.ts'
import { EVERY_CALL_CASES } from './every-call.ts'
import { FAILURE_CASES, RUNBOOK_CASES } from './failures.ts'
import { WRITE_CASES } from './written-properties.ts'
import { VALUE_CASES } from './values.ts'
import { VERSION_CASES } from './versions.ts'

/** Every case, in the order in which they run. */
export const CASES: readonly Case[] = [
  ...ANSWER_CASES,
  ...WRITE_CASES,
  ...FAILURE_CASES,
  ...REQUEST_CASES,
  ...TOKEN_CASES,
  ...KEY_CASES,
  ...REPEAT_CASES,
  ...OTHER_BYTES_CASES,
  ...CONCURRENCY_CASES,
  ...LATE_CASES,
  ...DETACH_CASES,
  ...INSTALLATION_CASES,
  ...VERSION_CASES,
  ...VALUE_CASES,
  ...MODULE_CASES,
  ...SECRET_CASES,
  ...REFERENCE_CASES,
  ...SERVICE_CASES,
  ...EVERY_CALL_CASES,
  ...CONNECTION_CASES,
  ...CRASH_CASES,
  ...SCENARIO_CASES,
  ...RUNBOOK_CASES,
]
