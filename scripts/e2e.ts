import { runEndToEnd } from './end-to-end.ts'
import { close } from './tally.ts'

process.exit(close([await runEndToEnd(process.argv.slice(2))]))
