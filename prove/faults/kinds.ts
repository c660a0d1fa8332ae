import { ANSWER_KINDS } from './answer-faults.ts'
import { DELIVERY_KINDS } from './delivery-faults.ts'
import type { Kind } from './fault.ts'
import { NETWORK_KINDS } from './network-faults.ts'

/** The 36 kinds of faults in the order of their numbers. */
export const KINDS: readonly Kind[] = [...NETWORK_KINDS, ...ANSWER_KINDS, ...DELIVERY_KINDS]
