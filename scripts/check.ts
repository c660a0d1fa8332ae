import { runChecks } from './checks.ts'
import { close } from './tally.ts'

process.exit(close([await runChecks()]))
