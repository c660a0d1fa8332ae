/** A planted mistake: the case that must find it, and the cases that find it as well, as ids or groups. */
export interface Defect {
  title: string
  own: string
  related: readonly string[]
}

/** What can be wrong with the reference plugin, by the name that plants it. */
export const DEFECTS = {
  'bare-data': { title: 'responds without the envelope', own: 'envelope.enveloped', related: [] },
  'status-201': { title: 'responds with 201', own: 'envelope.status-200', related: [] },
  'number-error-code': {
    title: 'writes errorCode as a number',
    own: 'envelope.error-code-zero',
    related: [],
  },
  'data-version-in-envelope': {
    title: 'puts 6.0.0 into the envelope',
    own: 'envelope.version',
    related: [],
  },
  'echo-without-bundle': {
    title: 'echoes the installation without its bundle',
    own: 'echo.installation',
    related: [],
  },
  'echo-sequence-as-text': {
    title: 'echoes executionSequence as a text',
    own: 'echo.execution-sequence',
    related: [],
  },
  'lower-case-outcome': {
    title: 'writes outcome in lower case',
    own: 'lifecycle.known-outcome',
    related: [],
  },
  'bare-write': { title: 'writes a value without Data', own: 'writes.wrapped', related: [] },
  'unmarked-secret': {
    title: 'writes a sensitive property without its mark',
    own: 'writes.sensitive-marked',
    related: [],
  },
  'marked-plain-value': {
    title: 'marks a property that is not sensitive',
    own: 'writes.plain-unmarked',
    related: [],
  },
  'undeclared-write': {
    title: 'writes a property that it may not write',
    own: 'writes.declared',
    related: [],
  },
  'foreign-resource': {
    title: 'writes to a Module outside the call',
    own: 'writes.own-resources',
    related: [],
  },
  'writes-reference': { title: 'writes a reference back', own: 'writes.no-reference', related: [] },
  'writes-protected': {
    title: 'writes the protected property',
    own: 'writes.no-protected-property',
    related: [],
  },
  'writes-mask': { title: 'writes a mask', own: 'writes.no-mask', related: [] },
  'not-applied-with-writes': {
    title: 'returns NOT_APPLIED with writes',
    own: 'lifecycle.not-applied-without-writes',
    related: [],
  },
  'failure-without-retryable': {
    title: 'omits retryable in failures',
    own: 'failure.retryable',
    related: [],
  },
  'lower-case-code': { title: 'uses lower-case error codes', own: 'failure.error-code', related: [] },
  'any-plugin-id': {
    title: 'accepts requests for other plugins',
    own: 'request.other-plugin',
    related: ['request.refused-leaves-nothing'],
  },
  'sequence-as-text': {
    title: 'accepts executionSequence as a text',
    own: 'request.sequence-text',
    related: [],
  },
  'no-audience': {
    title: 'does not verify the audience of tokens',
    own: 'token.other-audience',
    related: [],
  },
  'no-stage-claim': {
    title: 'does not verify the stage of tokens',
    own: 'token.other-stage',
    related: [],
  },
  'algorithm-of-token': {
    title: 'lets the token choose the algorithm',
    own: 'token.public-key-as-secret',
    related: [],
  },
  'raises-before-token': {
    title: 'stores the sequence before it verifies the token',
    own: 'token.refused-does-not-raise-sequence',
    related: [],
  },
  'new-token-in-repeat': {
    title: 'executes every repeat and issues a new token',
    own: 'repeat.install-before',
    related: [
      'repeat',
      'bytes',
      'concurrent',
      'late',
      'restart',
      'token.fresh-in-each-attempt',
      'detach',
      'crash',
      'isolation',
    ],
  },
  'no-fingerprint': {
    title: 'answers other bytes from memory',
    own: 'bytes.refused',
    related: ['bytes', 'restart.other-bytes', 'concurrent.other-bytes'],
  },
  'no-lock': {
    title: 'executes identical calls at the same time',
    own: 'concurrent.one-effect',
    related: ['concurrent', 'repeat.lost-response', 'repeat.lost-three-times', 'repeat.after-every-case'],
  },
  'sequence-order-of-texts': {
    title: 'compares sequences as texts',
    own: 'late.nine-after-ten',
    related: ['late.ten-after-nine'],
  },
  'same-sequence': {
    title: 'accepts another operation with the same sequence',
    own: 'late.same-sequence-refused',
    related: [],
  },
  'detach-must-find': {
    title: 'fails a DETACH that finds nothing',
    own: 'detach.unknown-installation',
    related: ['detach.twice', 'late.never-arrived-before-takeover'],
  },
  'no-tombstone': {
    title: 'forgets the sequence after a DETACH',
    own: 'detach.late-configure',
    related: [
      'detach',
      'late.install-after-takeover',
      'late.never-arrived-before-takeover',
      'restart.tombstone',
    ],
  },
  'token-of-workspace': {
    title: 'issues one token for each workspace',
    own: 'isolation.issued-values-differ',
    related: ['detach.new-token-after-reinstall'],
  },
  'detach-removes-all': {
    title: 'removes every tenant of the bundle in a DETACH',
    own: 'isolation.detach-leaves-others',
    related: [],
  },
  'memory-in-process': {
    title: 'keeps remembered calls in memory only',
    own: 'restart.other-bytes',
    related: ['restart', 'crash', 'repeat.after-every-case'],
  },
  'effect-before-memory': {
    title: 'makes an object with a random name before it remembers the call',
    own: 'crash.install',
    related: [],
  },
  'secret-in-message': {
    title: 'copies sensitive values into a failure message',
    own: 'secret.sensitive-input',
    related: [],
  },
  'secret-in-log': { title: 'logs request bodies', own: 'secret.sensitive-input-in-log', related: [] },
  'stack-in-message': {
    title: 'sends a stack trace as the failure message',
    own: 'secret.no-internals',
    related: [],
  },
  'ignores-refusal': {
    title: 'succeeds although a reference was not resolved',
    own: 'reference.refused',
    related: [],
  },
  'uses-expired-access': { title: 'uses expired access', own: 'reference.expired', related: [] },
  'writes-access-token': {
    title: 'writes a resolved token back',
    own: 'reference.not-written-back',
    related: [],
  },
  'next-contract': { title: 'accepts contractVersion 7.0.0', own: 'version.next-contract', related: [] },
  'orders-versions': { title: 'requires versions of three numbers', own: 'version.opaque', related: [] },
  'first-chunk': {
    title: 'reads only the first chunk of a body',
    own: 'connection.slow-request',
    related: ['concurrent.slow-upload', 'request.large-body', 'request.deep-nesting'],
  },
} as const satisfies Record<string, Defect>

export type DefectName = keyof typeof DEFECTS
