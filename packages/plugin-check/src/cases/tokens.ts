import { newSigningKey } from '../wire/keys.ts'
import type { Sent, TokenChanges, Trial } from '../run/trial.ts'
import { isDone } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { topOf } from './read-response.ts'

export const token = caseGroup('token', {
  rule: 'token-of-a-lifecycle-call',
  kind: 'behaviour',
  needs: ['tokens'],
})

const now = (): number => Math.floor(Date.now() / 1000)

/** Fails unless a call was refused for its token. */
function checkRefusedToken(trial: Trial, { answer }: Sent, what: string): void {
  trial.check(answer.kind !== 'success', `${what} was accepted`)
  trial.check(
    answer.kind === 'refused' || answer.kind === 'failure',
    `${what} must get 401, but got no definite response`,
  )
}

/** A call with this token is not executed, and is refused with 401. */
const refusal = (name: string, title: string, what: string, changes: (trial: Trial) => TokenChanges): Case =>
  token(
    name,
    {
      title,
      fix: 'Verify signature, algorithm and every claim against the request before anything else; respond with 401.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      checkRefusedToken(trial, await trial.settle(before, { token: changes(trial) }), what)
    },
  )

export const TOKEN_CASES: readonly Case[] = [
  refusal('missing', 'A call without a token is refused', 'A call without a token', () => ({
    authorization: null,
  })),
  refusal('garbage', 'A token that is not a JWT is refused', 'A token that is not a JWT', () => ({
    authorization: 'Bearer not-a-token',
  })),
  refusal('other-scheme', 'A token under another scheme is refused', 'The scheme Basic', () => ({
    authorization: 'Basic cGx1Z2luOmNoZWNr',
  })),
  refusal(
    'other-key',
    'A token that another key signed is refused',
    'A token of another key',
    ({ platform }) => ({
      signature: { by: 'key', key: newSigningKey(), kid: platform.keys[0].kid },
    }),
  ),
  refusal(
    'key-in-header',
    'A token that brings its key along is refused',
    'A token of the key in its own header',
    ({ platform }) => ({
      signature: { by: 'key', key: newSigningKey(), kid: platform.keys[0].kid, isInHeader: true },
    }),
  ),
  refusal('unknown-key', 'A token with an unknown kid is refused', 'A token with an unknown kid', () => ({
    signature: { by: 'key', key: newSigningKey() },
  })),
  refusal(
    'wrong-kid',
    'A token that another key of the key set signed than its kid says is refused',
    'A token with the kid of another key',
    ({ platform }) => ({
      signature: { by: 'key', key: platform.keys[1], kid: platform.keys[0].kid },
    }),
  ),
  refusal(
    'other-algorithm',
    'A token whose header names another algorithm is refused, even if its signature is right',
    'A token with alg RS256',
    ({ platform }) => ({ signature: { by: 'key', key: platform.keys[0], alg: 'RS256' } }),
  ),
  refusal('no-signature', 'A token with alg none is refused', 'A token without a signature', () => ({
    signature: { by: 'nothing' },
  })),
  refusal(
    'public-key-as-secret',
    'A token signed with HS256 and the public key is refused',
    'A token signed with the public key',
    ({ platform }) => ({ signature: { by: 'public-key-as-secret', key: platform.keys[0] } }),
  ),
  refusal('expired', 'An expired token is refused', 'A token that expired 10 minutes ago', () => ({
    claims: { iat: now() - 900, exp: now() - 600 },
  })),
  refusal(
    'expired-lately',
    'A token that expired 45 seconds ago is refused',
    'A token that expired 45 seconds ago',
    () => ({ claims: { iat: now() - 345, exp: now() - 45 } }),
  ),
  refusal('no-expiry', 'A token without exp is refused', 'A token without exp', () => ({
    claims: { exp: undefined },
  })),
  refusal('other-audience', 'A token for another plugin is refused', 'A token for another plugin', () => ({
    claims: { aud: 'another-plugin' },
  })),
  ...['prefix', 'suffix'].map((place) =>
    refusal(
      `audience-with-${place}`,
      `A token for a plugin whose pluginId is this one with a ${place} is refused`,
      `A token for a plugin with a similar pluginId`,
      ({ profile: { pluginId } }) => ({
        claims: { aud: place === 'prefix' ? `other-${pluginId}` : `${pluginId}-2` },
      }),
    ),
  ),
  refusal('other-issuer', 'A token of another issuer is refused', 'A token of another issuer', () => ({
    claims: { iss: 'https://other-platform.test' },
  })),
  refusal(
    'other-operation',
    'A token for another operation is refused',
    'A token for another operation',
    () => ({
      claims: { sub: '019b7a1c-6e00-7c11-8a2f-000000000000' },
    }),
  ),
  token(
    'used-for-another-call',
    {
      title: 'A token that was accepted is refused with another call',
      fix: 'Compare the claims with each request, even if you have verified this token before.',
    },
    async (trial) => {
      const { before, after } = trial.install().operation('INSTALL', 1)
      const { authorization } = await trial.finish(before)
      for (const [call, what] of [
        [after, 'the other stage'],
        [trial.install().operation('INSTALL', 1).before, 'another installation'],
      ] as const)
        checkRefusedToken(
          trial,
          await trial.settle(call, { token: { authorization } }),
          `A token that was accepted before, in ${what},`,
        )
    },
  ),
  refusal('other-stage', 'A token for the other stage is refused', 'A token for the other stage', () => ({
    claims: { stage: 'AFTER_RESOURCES' },
  })),
  refusal(
    'other-sequence',
    'A token for another executionSequence is refused',
    'A token for another sequence',
    () => ({
      claims: { executionSequence: 2 },
    }),
  ),
  refusal(
    'sequence-as-text',
    'A token whose executionSequence is a text is refused',
    'A token with its executionSequence as a text',
    () => ({ claims: { executionSequence: '1' } }),
  ),
  ...(
    [
      ['audience', 'aud'],
      ['issuer', 'iss'],
      ['operation', 'sub'],
      ['stage', 'stage'],
      ['sequence', 'executionSequence'],
      ['issue-time', 'iat'],
    ] as const
  ).map(([name, claim]) =>
    refusal(`no-${name}`, `A token without ${claim} is refused`, `A token without ${claim}`, () => ({
      claims: { [claim]: undefined },
    })),
  ),
  token(
    'status-401',
    {
      title: 'A refused token is answered with 401 and without an envelope',
      kind: 'shape',
      fix: 'Respond with status 401 and a body that is no envelope.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const sent = await trial.send(before, {}, { authorization: null })
      const { answer } = sent
      trial.requires(answer.kind !== 'success', 'The call without a token was executed')
      trial.check(answer.kind === 'refused' && answer.status === 401, 'The response is not a 401')
      trial.check(!('errorCode' in topOf(sent)), 'The 401 has an envelope')
    },
  ),
  token(
    'clocks-differ',
    {
      title: 'A token is accepted if the clocks differ by 10 seconds',
      fix: 'Allow 30 seconds between the clocks, in both directions.',
    },
    async (trial) => {
      for (const claims of [
        { iat: now() + 10, exp: now() + 310 },
        { iat: now() - 310, exp: now() - 10 },
      ]) {
        const { before } = trial.install().operation('INSTALL', 1)
        const { answer } = await trial.settle(before, { token: { claims } })
        trial.check(isDone(answer), `A token that expires at ${claims.exp} was refused at ${now()}`)
      }
    },
  ),
  token(
    'fresh-in-each-attempt',
    {
      title: 'A repeat with another token gets the same response',
      rule: 'repeated-calls',
      fix: 'Leave the token out of the fingerprint of a call.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const first = await trial.finish(before)
      const again = await trial.send(
        before,
        {},
        { claims: { iat: now() - 60, exp: now() + 240, jti: 'other' } },
      )
      trial.checkSame(first, again, 'A repeat with another token')
    },
  ),
  token(
    'refused-has-no-effect',
    {
      title: 'A call with a refused token leaves nothing behind',
      fix: 'Verify the token before you store the call or raise the sequence.',
    },
    async (trial) => {
      const installation = trial.install()
      const wrong = installation
        .operation('INSTALL', 1)
        .variant('BEFORE_RESOURCES', { targetVersion: '9.9.9' })
      await trial.send(wrong, {}, { authorization: null })
      const right = installation.operation('INSTALL', 1, { operationId: wrong.request.operation.operationId })
      const { answer } = await trial.settle(right.before)
      trial.check(isDone(answer), 'The call was refused after one with other bytes and without a token')
    },
  ),
  token(
    'refused-does-not-raise-sequence',
    {
      title: 'A call that is refused because of its token or its form does not raise the execution sequence',
      rule: 'late-calls',
      fix: 'Verify the token and the whole request before you store the sequence, or a refused call locks an installation.',
    },
    async (trial) => {
      const installation = trial.install()
      await trial.complete(installation.operation('INSTALL', 1))
      await trial.send(installation.operation('CONFIGURE', 1_000).before, {}, { authorization: null })
      const first = await trial.settle(installation.operation('CONFIGURE', 2).before)
      trial.check(first.answer.kind !== 'failure', 'After a refused token, a valid call was refused as late')
      const { before } = installation.operation('CONFIGURE', 1_001)
      const resources = Object.fromEntries(
        Object.entries(before.request.resources).map(([locator, entry]) => [
          locator,
          { ...entry, properties: [] },
        ]),
      )
      await trial.sendBytes(Buffer.from(JSON.stringify({ ...before.request, resources })), before)
      const { answer } = await trial.settle(installation.operation('CONFIGURE', 3).before)
      trial.check(answer.kind !== 'failure', 'After a refused form, a valid call was refused as late')
    },
  ),
]
