import { PERMISSIONS } from '#contract/endpoint/permission.ts'

/** The caller in benchmarks: a person who may see everything. */
export const person = { id: 'bench', name: 'Bench', grants: [{ permissions: [...PERMISSIONS], scope: null }] }
