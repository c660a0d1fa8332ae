import { runEndToEnd } from './end-to-end.ts'

const { passed, failed } = await runEndToEnd(process.argv.slice(2))
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
