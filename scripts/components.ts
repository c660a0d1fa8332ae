import { runComponentTests } from './component-tests.ts'
import { close } from './tally.ts'

process.exit(close([await runComponentTests(process.argv.slice(2))]))
