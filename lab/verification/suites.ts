import type { Suite } from './suite.ts'

type Suites = Readonly<Record<string, () => Promise<Suite>>>

/**
 * The suites of each test run, in the order in which they start: those whose quick form takes longest first, but not the two
 * with a browser beside each other. Each is loaded when it starts.
 */
export const SUITES: Suites = {
  'round-trip': async () => (await import('./round-trip/suite.ts')).ROUND_TRIP,
  faults: async () => (await import('./faults/suite.ts')).FAULTS,
  editor: async () => (await import('./editor/suite.ts')).EDITOR,
  signals: async () => (await import('./signals/suite.ts')).SIGNALS,
  fuzz: async () => (await import('./fuzz/suite.ts')).FUZZ,
  model: async () => (await import('./model/suite.ts')).MODEL,
  'crash-points': async () => (await import('./crash-points/suite.ts')).CRASH_POINTS,
  simulation: async () => (await import('./simulation/suite.ts')).SIMULATION,
  public: async () => (await import('./public/suite.ts')).PUBLIC,
  changes: async () => (await import('./changes/suite.ts')).CHANGES,
}

/**
 * The suites that only the nightly run has: they verify the suites themselves, things that change rarely, or need other
 * programs and minutes. One whose programs cannot be had is skipped.
 */
export const NIGHTLY_SUITES: Suites = {
  mutants: async () => (await import('./mutants/suite.ts')).MUTANTS_SUITE,
  restarts: async () => (await import('./restarts/suite.ts')).RESTARTS,
  recovery: async () => (await import('./recovery/suite.ts')).RECOVERY,
  canaries: async () => (await import('./canaries/suite.ts')).CANARIES,
  attack: async () => (await import('./attack/suite.ts')).ATTACK,
  clocks: async () => (await import('./clocks/suite.ts')).CLOCKS,
  checker: async () => (await import('./checker/suite.ts')).CHECKER,
  'sdk-mutants': async () => (await import('./sdk-mutants/suite.ts')).SDK_MUTANTS,
  'slow-tests': async () => (await import('./slow-tests/suite.ts')).SLOW_TESTS,
  'author-page': async () => (await import('./author-page/suite.ts')).AUTHOR_PAGE,
  manifests: async () => (await import('../deploy/manifests/suite.ts')).MANIFESTS_SUITE,
  pgbouncer: async () => (await import('../deploy/pgbouncer/suite.ts')).PGBOUNCER,
  pgbackrest: async () => (await import('../deploy/pgbackrest/suite.ts')).PGBACKREST,
  upgrade: async () => (await import('../deploy/upgrade/suite.ts')).UPGRADE,
  patroni: async () => (await import('../deploy/patroni/suite.ts')).PATRONI,
}

export const ALL_SUITES: Suites = { ...SUITES, ...NIGHTLY_SUITES }
