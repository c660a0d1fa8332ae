import { createHmac, createPublicKey, verify } from 'node:crypto'
import { breaks } from './defect.ts'
import { digest, PLUGIN_ID, type Change, type Parts } from '../reference-parts.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import type { StoredState } from '../reference-store.ts'
import type { Claims, Jwk } from '../reference-token.ts'
import { Refusal, Unauthorized, Unavailable } from '../refusal.ts'

// What is wrong with tokens.

const anyClaim =
  (name: keyof Parts['claimChecks']): Change =>
  (parts) => {
    parts.claimChecks[name] = () => true
  }

const anyCallClaim =
  (name: keyof Parts['callChecks']): Change =>
  (parts) => {
    parts.callChecks[name] = () => true
  }

const raise = (
  { marks }: StoredState,
  { installation, operation, executionSequence: sequence }: LifecycleRequest,
): void => {
  const mark = marks[installation.bundleInstallId]
  if (mark !== undefined && sequence > mark.sequence)
    marks[installation.bundleInstallId] = { ...mark, sequence, operationId: operation.operationId }
}

export const TOKEN_DEFECTS = {
  'no-token': breaks(
    'token.missing',
    'executes calls without a token',
    (parts) => {
      const { verify: verifyHeader } = parts
      parts.verify = async (header) => (header === undefined ? {} : verifyHeader(header))
      for (const [name, check] of Object.entries(parts.callChecks))
        parts.callChecks[name as 'stage'] = (claims, request) =>
          Object.keys(claims).length === 0 || check(claims, request)
    },
    ['token'],
  ),
  'any-scheme': breaks('token.other-scheme', 'ignores the scheme of the authorization header', (parts) => {
    const { verify: verifyHeader } = parts
    parts.verify = async (header) => (header?.startsWith('Basic ') === true ? {} : verifyHeader(header))
    for (const [name, check] of Object.entries(parts.callChecks))
      parts.callChecks[name as 'stage'] = (claims, request) =>
        Object.keys(claims).length === 0 || check(claims, request)
  }),
  'no-signature': breaks(
    'token.other-key',
    'does not verify signatures',
    (parts) => {
      parts.isSigned = ({ header }) => header['alg'] === 'EdDSA'
    },
    ['token'],
  ),
  'any-kid': breaks(
    'token.unknown-key',
    'trusts a token with an unknown key without verifying it',
    (parts) => {
      const { chooseKey, isSigned } = parts
      parts.chooseKey = (keys, token) => chooseKey(keys, token) ?? keys[0]
      parts.isSigned = (token, key) => key.kid !== token.header['kid'] || isSigned(token, key)
    },
    ['token.no-signature', 'token.no-keys-refused', 'token.keys-unavailable'],
  ),
  'ignores-kid': breaks('token.wrong-kid', 'tries all keys of the set, whatever the kid', (parts) => {
    const { isSigned } = parts
    parts.chooseKey = (keys, token) => keys.find((key) => isSigned(token, key))
  }),
  'any-algorithm': breaks('token.other-algorithm', 'does not look at the algorithm of a token', (parts) => {
    const { isSigned } = parts
    parts.isSigned = (token, key) => isSigned({ ...token, header: { ...token.header, alg: 'EdDSA' } }, key)
  }),
  'no-issue-time': breaks('token.no-issue-time', 'accepts tokens without iat', anyClaim('issueTime')),
  'open-without-keys': breaks(
    'token.no-keys-refused',
    'accepts a token if it cannot fetch the keys',
    (parts) => {
      const { verify: verifyHeader } = parts
      parts.verify = async (header) => {
        try {
          return await verifyHeader(header)
        } catch (error) {
          if (error instanceof Unavailable) return parts.readToken(header)?.claims ?? null
          throw error
        }
      }
    },
    ['token.keys-unavailable'],
  ),
  'key-in-header': breaks('token.key-in-header', 'trusts the key in the header of a token', (parts) => {
    const { chooseKey } = parts
    // a key that anyone may have made
    parts.chooseKey = (keys, token) => (token.header['jwk'] as Jwk | undefined) ?? chooseKey(keys, token)
  }),
  'algorithm-none': breaks('token.no-signature', 'accepts tokens with alg none', (parts) => {
    const { chooseKey, isSigned } = parts
    parts.chooseKey = (keys, token) => (token.header['alg'] === 'none' ? keys[0] : chooseKey(keys, token))
    parts.isSigned = (token, key) => token.header['alg'] === 'none' || isSigned(token, key)
  }),
  'algorithm-of-token': breaks(
    'token.public-key-as-secret',
    'lets the token choose the algorithm',
    (parts) => {
      const { isSigned } = parts
      parts.isSigned = (token, key) =>
        token.header['alg'] === 'HS256'
          ? createHmac('sha256', Buffer.from(key.x, 'base64url')).update(token.input).digest('base64url') ===
            token.signature
          : isSigned(token, key)
    },
  ),
  'signature-of-payload': breaks('token.second-key', 'verifies with the first key of the set', (parts) => {
    parts.chooseKey = (keys) => keys[0]
    parts.isSigned = ({ header, input, signature }, key) =>
      header['alg'] === 'EdDSA' &&
      verify(
        null,
        input,
        createPublicKey({ key: { ...key }, format: 'jwk' }),
        Buffer.from(signature, 'base64url'),
      )
  }),
  'keys-once': breaks('token.new-key', 'fetches the keys of the platform once', (parts) => {
    parts.needsKeys = (keys) => keys.length === 0
  }),
  'strangers-remembered': breaks(
    'token.new-key',
    'never looks again for a kid that the key set once lacked',
    (parts) => {
      const { chooseKey, needsKeys } = parts
      // before the fetch and after it
      const misses = new Map<unknown, number>()
      let isRemembered = false
      parts.chooseKey = (keys, token) => {
        const { kid } = token.header
        const missed = misses.get(kid) ?? 0
        isRemembered = missed > 1
        const key = isRemembered ? undefined : chooseKey(keys, token)
        if (key === undefined) misses.set(kid, missed + 1)
        return key
      }
      parts.needsKeys = (...args) => !isRemembered && needsKeys(...args)
    },
    ['token.keys-unavailable'],
  ),
  'keys-for-strangers': breaks(
    'token.keys-kept-from-strangers',
    'fetches the keys of the platform for each token with an unknown kid',
    (parts) => {
      parts.needsKeys = (_keys, key) => key === undefined
    },
  ),
  'keys-missing-401': breaks(
    'token.keys-unavailable',
    'takes a token for a wrong one if it cannot fetch the keys',
    (parts) => {
      parts.keylessStatus = 401
    },
  ),
  'no-issuer': breaks('token.other-issuer', 'does not verify the issuer of tokens', anyClaim('issuer'), [
    'token',
  ]),
  'no-audience': breaks(
    'token.other-audience',
    'does not verify the audience of tokens',
    anyClaim('audience'),
    ['token'],
  ),
  'audience-contains': breaks(
    'token.audience-with-prefix',
    'accepts tokens for a plugin whose pluginId contains its own',
    (parts) => {
      parts.claimChecks.audience = ({ aud }) => String(aud).includes(PLUGIN_ID)
    },
    ['token.audience-with-suffix'],
  ),
  'no-expiry': breaks('token.expired', 'does not verify the expiry of tokens', anyClaim('expiry'), [
    'token.no-expiry',
    'token.expired-lately',
    'token',
  ]),
  'expiry-if-present': breaks('token.no-expiry', 'accepts tokens without an expiry', (parts) => {
    const { expiry } = parts.claimChecks
    parts.claimChecks.expiry = (claims: Claims) => claims['exp'] === undefined || expiry(claims)
  }),
  'long-leeway': breaks('token.expired-lately', 'accepts tokens for a minute more', (parts) => {
    parts.claimChecks.expiry = ({ exp }) => Number(exp) > Date.now() / 1000 - 60
  }),
  'no-operation-claim': breaks(
    'token.other-operation',
    'does not verify the operation of tokens',
    anyCallClaim('operation'),
    ['token'],
  ),
  'compares-token-once': breaks(
    'token.used-for-another-call',
    'compares a token only with the first call that comes with it',
    (parts) => {
      const { answer, verify } = parts
      const compared = new Set<string | undefined>()
      const trusted = new WeakSet<object>()
      parts.verify = async (authorization) => {
        const claims = await verify(authorization)
        if (claims !== null && compared.has(authorization)) trusted.add(claims)
        return claims
      }
      for (const [name, check] of Object.entries(parts.callChecks))
        parts.callChecks[name as 'stage'] = (claims, request) => trusted.has(claims) || check(claims, request)
      parts.answer = async (incoming) => {
        const text = await answer(incoming)
        compared.add(incoming.headers.authorization)
        return text
      }
    },
  ),
  'no-stage-claim': breaks(
    'token.other-stage',
    'does not verify the stage of tokens',
    anyCallClaim('stage'),
    ['token'],
  ),
  'no-sequence-claim': breaks(
    'token.other-sequence',
    'does not verify the sequence of tokens',
    anyCallClaim('sequence'),
    ['token'],
  ),
  'loose-sequence-claim': breaks(
    'token.sequence-as-text',
    'compares the sequence of tokens as text',
    (parts) => {
      parts.callChecks.sequence = (claims, { executionSequence }) =>
        String(claims['executionSequence']) === String(executionSequence)
    },
  ),
  'envelope-for-token': breaks('token.status-401', 'answers a refused token with an envelope', (parts) => {
    const { answer } = parts
    parts.answer = async (incoming) => {
      try {
        return await answer(incoming)
      } catch (error) {
        if (error instanceof Unauthorized) throw new Refusal('TOKEN_INVALID', 'The token is not valid')
        throw error
      }
    }
  }),
  'token-in-hash': breaks(
    'token.fresh-in-each-attempt',
    'takes another token for other bytes',
    (parts) => {
      const { hashOf } = parts
      parts.hashOf = (body, request, incoming) =>
        digest(hashOf(body, request, incoming) + (incoming.headers.authorization?.split('.')[1] ?? ''))
    },
    ['*'],
  ),
  'no-token-in-upgrade': breaks(
    'token.every-call',
    'does not compare the token of an UPGRADE with the call',
    (parts) => {
      for (const [name, check] of Object.entries(parts.callChecks))
        parts.callChecks[name as 'stage'] = (claims, request) =>
          request.operation.operationType === 'UPGRADE' || check(claims, request)
    },
  ),
  'stage-claim-if-present': breaks(
    'token.no-stage',
    'compares the stage of a token if it has one',
    (parts) => {
      const { stage } = parts.callChecks
      parts.callChecks.stage = (claims, request) => claims['stage'] === undefined || stage(claims, request)
    },
  ),
  'sequence-claim-if-present': breaks(
    'token.no-sequence',
    'compares the sequence of a token if it has one',
    (parts) => {
      const { sequence } = parts.callChecks
      parts.callChecks.sequence = (claims, request) =>
        claims['executionSequence'] === undefined || sequence(claims, request)
    },
  ),
  'remembers-before-token': breaks(
    'token.every-call',
    'answers repeats without looking at the token',
    (parts) => {
      const { answer } = parts
      const bodies = new Map<string, string>()
      parts.answer = async (incoming) => {
        const body = await parts.readBody(incoming)
        const known = bodies.get(body.toString())
        if (known !== undefined) return known
        const copy = Object.assign(incoming, {
          [Symbol.asyncIterator]: async function* () {
            yield body
          },
        })
        const text = await answer(copy)
        bodies.set(body.toString(), text)
        return text
      }
    },
  ),
  'raises-before-token': breaks(
    'token.refused-does-not-raise-sequence',
    'stores the sequence before it verifies the token',
    (parts, { state }) => {
      const { verify: verifyHeader, readBody } = parts
      let body = Buffer.alloc(0)
      parts.readBody = async (incoming) => (body = Buffer.from(await readBody(incoming)))
      parts.verify = (header) => {
        try {
          raise(state, parts.readRequest(JSON.parse(body.toString())))
        } catch {
          // refused later
        }
        return verifyHeader(header)
      }
    },
    ['bytes.every-call'],
  ),
  'raises-before-form': breaks(
    'token.refused-does-not-raise-sequence',
    'stores the sequence before it reads the whole request',
    (parts, { state }) => {
      const { readRequest } = parts
      parts.readRequest = (json) => {
        try {
          raise(state, json as LifecycleRequest)
        } catch {
          // it has no sequence
        }
        return readRequest(json)
      }
    },
    ['bytes.every-call', 'late.malformed-does-not-raise'],
  ),
}
