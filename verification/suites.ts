import type { Suite } from './suite.ts'

/** Every suite, in the order in which they run; each is loaded when it starts. */
export const SUITES: Record<string, () => Promise<Suite>> = {
  'crash-points': async () => (await import('./crash-points/suite.ts')).CRASH_POINTS,
  simulation: async () => (await import('./simulation/suite.ts')).SIMULATION,
  fuzz: async () => (await import('./fuzz/suite.ts')).FUZZ,
  faults: async () => (await import('./faults/suite.ts')).FAULTS,
  model: async () => (await import('./model/suite.ts')).MODEL,
  signals: async () => (await import('./signals/suite.ts')).SIGNALS,
  editor: async () => (await import('./editor/suite.ts')).EDITOR,
  restarts: async () => (await import('./restarts/suite.ts')).RESTARTS,
  checker: async () => (await import('./checker/suite.ts')).CHECKER,
  mutants: async () => (await import('./mutants/suite.ts')).MUTANTS_SUITE,
}
