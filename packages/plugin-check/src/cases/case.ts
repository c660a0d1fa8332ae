import type { Sent, Trial } from '../run/trial.ts'

/** What a case requires of profile and plugin; without it the case is not tested. */
export type Need =
  | 'tokens'
  | 'start'
  | 'state'
  | 'changed'
  | 'invalid'
  | 'writes'
  | 'issued'
  | 'schemas'
  | 'sensitive'
  | 'optional'
  | 'references'
  | 'resolves'
  | 'services'
  | 'events'
  | 'temporary'
  | 'slow'
  | 'runbooks'
  | 'scenarios'

export const NEEDS: Readonly<Record<Need, string>> = {
  tokens: 'verifiesTokens is false in the profile',
  start: 'the profile has no start.command, so the checker cannot kill or restart the plugin',
  state: 'the profile has no state address, so effects cannot be seen',
  changed: 'no resource of the profile has changed values',
  invalid: 'no resource of the profile has invalid values',
  writes: 'no resource of the profile has writes',
  issued: 'no write of the profile is issued by the plugin',
  schemas: 'no write of the profile has a schema',
  sensitive: 'no text property of the profile is sensitive',
  optional: 'no resource of the profile has optional properties',
  references: 'no resource of the profile has references',
  resolves: 'resolvesReferences is false in the profile',
  services: 'the profile has no services, so calls of services cannot be judged',
  events: 'the profile has no events',
  temporary: 'the profile does not say how to provoke a temporary failure',
  slow: 'the profile does not say how to make the plugin slow',
  runbooks: 'the profile has no runbooks',
  scenarios: 'the profile has no scenarios',
}

export interface Case {
  /** Stable: group, dot, name. */
  id: string
  /** The requirement, as one sentence without a period. */
  title: string
  /** A MUST is a rule of the protocol; a SHOULD makes a plugin easier to operate, or is about what the runtime never sends. */
  level: 'MUST' | 'SHOULD'
  /** Whether it is about what the plugin does over several calls, or about one response. */
  kind: 'behaviour' | 'shape'
  /** The section of docs/protocol.md that has the rule. */
  rule: string
  /** How to repair a plugin that fails. */
  fix: string
  needs: readonly Need[]
  /**
   * It mostly waits, or has many calls of one installation, and begins with the run: only if it does not pass beside other
   * cases, it runs alone.
   */
  isBeside?: true
  run(trial: Trial): Promise<void>
  /**
   * Judges each exchange of every case of the run, not only its own: a rule about all responses is broken by any of them.
   * `trial` is that of the case in which it was sent. Fails like `run`.
   */
  judge?: (trial: Trial, sent: Sent) => void
  /** Judges what each case of the run did as a whole, when it has ended. */
  review?: (trial: Trial) => void
}

type Details = Omit<Case, 'id' | 'level' | 'kind' | 'rule' | 'needs' | 'run' | 'judge' | 'review'> & {
  level?: Case['level']
  kind?: Case['kind']
  rule?: string
  needs?: readonly Need[]
}

/** The cases of one group share prefix, rule and kind, unless one says otherwise. */
export function caseGroup(
  group: string,
  defaults: { rule: string; kind: Case['kind']; needs?: readonly Need[] },
) {
  return (
    name: string,
    details: Details,
    run: Case['run'] | Pick<Case, 'run' | 'judge' | 'review'>,
  ): Case => ({
    id: `${group}.${name}`,
    level: 'MUST',
    ...defaults,
    ...details,
    needs: [...(defaults.needs ?? []), ...(details.needs ?? [])],
    ...(typeof run === 'function' ? { run } : run),
  })
}
