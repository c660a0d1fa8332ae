import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Node compiles a thousand modules at each start; it keeps them by their content
enableCompileCache(join(import.meta.dirname, '..', '.cache', 'compile'))
await import('./plugin-dev/main.ts')
