import { after } from 'node:test'

/** How long a file may need to close what its tests opened. */
const GRACE_MS = 30_000

// Loaded into the process of each test file. A failed test may leave a server open, and would keep the run waiting indefinitely.
after(() => {
  setTimeout(() => {
    console.error('The tests have ended, but something that they opened keeps the process alive')
    process.exit(1)
  }, GRACE_MS).unref()
})
