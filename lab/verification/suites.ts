import type { Suite } from './suite.ts'

/** The suites of each test run, in the order in which they start: those whose quick form takes longest first. Each is loaded when it starts. */
export const SUITES: Record<string, () => Promise<Suite>> = {
  mutants: async () => (await import('./mutants/suite.ts')).MUTANTS_SUITE,
  editor: async () => (await import('./editor/suite.ts')).EDITOR,
  model: async () => (await import('./model/suite.ts')).MODEL,
  signals: async () => (await import('./signals/suite.ts')).SIGNALS,
  'crash-points': async () => (await import('./crash-points/suite.ts')).CRASH_POINTS,
  simulation: async () => (await import('./simulation/suite.ts')).SIMULATION,
  recovery: async () => (await import('./recovery/suite.ts')).RECOVERY,
  restarts: async () => (await import('./restarts/suite.ts')).RESTARTS,
  faults: async () => (await import('./faults/suite.ts')).FAULTS,
  'round-trip': async () => (await import('./round-trip/suite.ts')).ROUND_TRIP,
  public: async () => (await import('./public/suite.ts')).PUBLIC,
  fuzz: async () => (await import('./fuzz/suite.ts')).FUZZ,
  canaries: async () => (await import('./canaries/suite.ts')).CANARIES,
  clocks: async () => (await import('./clocks/suite.ts')).CLOCKS,
  checker: async () => (await import('./checker/suite.ts')).CHECKER,
}

/**
 * Suites about other programs and versions of Node, which take minutes: they run in the full form, or when they are named. One whose programs
 * cannot be had is skipped.
 */
export const DEPLOYMENT_SUITES: Record<string, () => Promise<Suite>> = {
  manifests: async () => (await import('../deploy/manifests/suite.ts')).MANIFESTS_SUITE,
  pgbouncer: async () => (await import('../deploy/pgbouncer/suite.ts')).PGBOUNCER,
  pgbackrest: async () => (await import('../deploy/pgbackrest/suite.ts')).PGBACKREST,
  upgrade: async () => (await import('../deploy/upgrade/suite.ts')).UPGRADE,
  patroni: async () => (await import('../deploy/patroni/suite.ts')).PATRONI,
  'author-page': async () => (await import('./author-page/suite.ts')).AUTHOR_PAGE,
}

export const ALL_SUITES: Record<string, () => Promise<Suite>> = { ...SUITES, ...DEPLOYMENT_SUITES }
