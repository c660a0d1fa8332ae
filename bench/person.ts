import { PERMISSIONS } from '#contract/endpoint/permission.ts'

/** Who asks in benchmarks: somebody who may see everything. */
export const person = { id: 'bench', name: 'Bench', grants: [{ permissions: [...PERMISSIONS], scope: null }] }
