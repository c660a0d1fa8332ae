import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { DemoPerson } from './caller.ts'

const person = (id: string, name: string): DemoPerson => ({
  id: `demo:${id}`,
  name,
  grants: [{ permissions: [...PERMISSIONS], scope: null }],
})

export const mira = person('mira', 'Mira Castellan')
export const tomas = person('tomas', 'Tomás Herrera')
export const ling = person('ling', 'Ling Zhao')
export const platform = person('platform', 'Aisha Rahman')
export const jonas = person('jonas', 'Jonas Berg')

/** What the users that a person signs in as are called, so that the history of the demo is one of people. */
export const FIRST_NAMES = {
  admin: 'Grace Turner',
  operator: 'Sam Porter',
  support: 'Anna Miller',
  viewer: 'Paul Weber',
} as const
