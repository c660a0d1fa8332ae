import { PERMISSIONS } from '#contract/endpoint/permission.ts'

/** The caller in benchmarks: a person with every permission everywhere. */
export const person = { id: 'bench', name: 'Bench', grants: [{ permissions: [...PERMISSIONS], scope: null }] }
