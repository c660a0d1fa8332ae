import { BATCHES } from './batches.ts'
import { CALLS } from './calls.ts'
import { CHANGES } from './changes.ts'
import type { Mutant } from './mutant.ts'
import { READS } from './reads.ts'

/** Every planted fault, numbered from 1. */
export const MUTANTS: readonly Mutant[] = [...CHANGES, ...CALLS, ...READS, ...BATCHES]
