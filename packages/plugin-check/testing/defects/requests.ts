import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import { breaks } from './defect.ts'
import { refusing, tolerating } from './plant.ts'
import type { Change } from '../reference-parts.ts'
import { Refusal } from '../refusal.ts'

// What is wrong with the reading of requests.

/** Changes what is stored of each tenant. */
const storing =
  ({
    displayName,
    seats,
  }: {
    displayName?: (name: string) => string
    seats?: (seats: number) => number
  }): Change =>
  (parts, { state }) => {
    const { apply } = parts
    parts.apply = (request) => {
      const result = apply(request)
      for (const tenant of Object.values(state.tenants)) {
        tenant.displayName = displayName?.(tenant.displayName) ?? tenant.displayName
        tenant.seats = seats?.(tenant.seats) ?? tenant.seats
      }
      return result
    }
  }

export const REQUEST_DEFECTS = {
  'any-plugin-id': breaks(
    'request.other-plugin',
    'accepts requests for other plugins',
    tolerating((json) => (json['pluginId'] = 'reference-plugin')),
    ['request.refused-leaves-nothing', 'failure', 'request.every-call'],
  ),
  'contract-by-first-digit': breaks(
    'version.next-contract',
    'accepts contractVersion 60.0.0',
    tolerating(
      (json) => String(json['contractVersion']).startsWith('6') && (json['contractVersion'] = '6.0.0'),
    ),
  ),
  'any-unicode-form': breaks('request.utf-16', 'detects UTF-16 in a body', (parts) => {
    const { parseBody } = parts
    parts.parseBody = (body) => parseBody(body[1] === 0 ? Buffer.from(body.toString('utf16le')) : body)
  }),
  'not-a-number': breaks('request.not-a-number', 'reads NaN as JSON', (parts) => {
    const { parseBody } = parts
    parts.parseBody = (body) =>
      parseBody(Buffer.from(body.toString('latin1').replace(':NaN', ':null'), 'latin1'))
  }),
  'any-operation': breaks(
    'request.unknown-operation',
    'takes an unknown operation for an INSTALL',
    tolerating(({ operation }) => {
      const found = operation as JsonObject | undefined
      if (found?.['operationType'] === 'REPAIR') found['operationType'] = 'INSTALL'
    }),
    ['late.malformed-does-not-raise'],
  ),
  'any-stage': breaks(
    'request.unknown-stage',
    'takes an unknown stage for the first',
    tolerating((json) => json['stage'] === 'DURING_RESOURCES' && (json['stage'] = 'BEFORE_RESOURCES')),
  ),
  'list-of-one': breaks('request.list', 'takes a list of one request for the request', (parts) => {
    const { readRequest } = parts
    parts.readRequest = (json) => readRequest(Array.isArray(json) ? json[0] : json)
  }),
  'any-plugin-in-detach': breaks(
    'request.every-call',
    'executes a DETACH for another plugin',
    tolerating((json) => {
      const { operationType } = json['operation'] as JsonObject
      if (operationType === 'DETACH') json['pluginId'] = 'reference-plugin'
    }),
  ),
  'repairs-json': breaks('request.truncated', 'repairs a truncated body', (parts) => {
    const { parseBody } = parts
    parts.parseBody = (body) => {
      try {
        return parseBody(body)
      } catch {
        return parseBody(Buffer.concat([body, Buffer.from('}')]))
      }
    }
  }),
  'any-method': breaks('request.put', 'executes a PUT', (parts) => {
    const { refuseHttp } = parts
    parts.refuseHttp = (incoming) => (incoming.method === 'PUT' ? null : refuseHttp(incoming))
  }),
  'sequence-as-text': breaks(
    'request.sequence-text',
    'accepts executionSequence as a text',
    tolerating((json) => (json['executionSequence'] = Number(json['executionSequence']))),
    ['request.every-call', 'request.sequence-boolean'],
  ),
  'sequence-true': breaks(
    'request.sequence-boolean',
    'accepts executionSequence true as 1',
    tolerating((json) => (json['executionSequence'] as unknown) === true && (json['executionSequence'] = 1)),
  ),
  'reads-what-arrives': breaks(
    'connection.cut-before-last-chunk',
    'ignores that a body was cut off',
    (parts) => {
      parts.readBody = async (incoming) => {
        const chunks: Buffer[] = []
        try {
          for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
        } catch {
          // what is there may be enough
        }
        return Buffer.concat(chunks)
      }
    },
  ),
  'sequence-zero': breaks(
    'request.sequence-zero',
    'accepts executionSequence 0',
    tolerating((json) => json['executionSequence'] === 0 && (json['executionSequence'] = 1)),
    ['request.sequence-negative'],
  ),
  'sequence-absolute': breaks(
    'request.sequence-negative',
    'drops the sign of executionSequence',
    tolerating(
      (json) =>
        typeof json['executionSequence'] === 'number' &&
        (json['executionSequence'] = Math.abs(json['executionSequence'])),
    ),
  ),
  'sequence-rounded': breaks(
    'request.sequence-fraction',
    'rounds executionSequence',
    tolerating(
      (json) =>
        typeof json['executionSequence'] === 'number' &&
        (json['executionSequence'] = Math.floor(json['executionSequence'])),
    ),
  ),
  'installation-optional': breaks(
    'request.no-installation',
    'invents an installation',
    tolerating(
      (json) =>
        (json['installation'] ??= {
          environmentKey: 'e',
          applicationRuntimeId: 'a',
          workspaceId: 1,
          bundleInstallId: 'none',
          bundle: { environmentKey: 'e', bundleId: 'b' },
        }),
    ),
  ),
  'small-body': breaks('request.large-body', 'refuses bodies of more than 100 kB', (parts) => {
    const { readBody } = parts
    parts.readBody = async (incoming) => {
      const body = await readBody(incoming)
      if (body.byteLength > 100_000) throw new Refusal('TOO_LARGE', 'The body is too large', true)
      return body
    }
  }),
  'remembers-refused': breaks(
    'request.refused-leaves-nothing',
    'remembers a refused request',
    (parts) => {
      const { readRequest } = parts
      const wrong = new Set<unknown>()
      parts.readRequest = (json) => {
        const id = (json as { operation?: { operationId?: string } } | null)?.operation?.operationId
        if (wrong.has(id)) throw new Refusal('REQUEST_INVALID', 'The request was refused before')
        try {
          return readRequest(json)
        } catch (error) {
          if (id !== undefined) wrong.add(id)
          throw error
        }
      }
    },
    [
      'late.malformed-does-not-raise',
      'repeat.after-every-case',
      'version',
      'request',
      'failure',
      'bytes.every-call',
    ],
  ),
  'next-contract': breaks(
    'version.next-contract',
    'accepts contractVersion 7.0.0',
    tolerating((json) => json['contractVersion'] === '7.0.0' && (json['contractVersion'] = '6.0.0')),
    ['request.every-call'],
  ),
  'earlier-contract': breaks(
    'version.earlier-contract',
    'accepts contractVersion 5.0.0',
    tolerating((json) => json['contractVersion'] === '5.0.0' && (json['contractVersion'] = '6.0.0')),
  ),
  'orders-versions': breaks(
    'version.opaque',
    'requires versions of three numbers',
    (parts) => {
      const { readRequest } = parts
      parts.readRequest = (json) => {
        const request = readRequest(json)
        if (!/^\d+\.\d+\.\d+$/.test(request.operation.targetVersion))
          throw new Refusal('VERSION_INVALID', 'A version must have three numbers')
        return request
      }
    },
    ['version'],
  ),
  'refuses-downgrades': breaks(
    'version.no-order',
    'refuses an UPGRADE from three numbers to lower ones',
    refusing(({ operation: { operationType, currentVersion, targetVersion } }) => {
      const [from, to] = [currentVersion, targetVersion].map((version) =>
        (/^(\d+)\.(\d+)\.(\d+)$/.exec(version ?? '') ?? []).slice(1).map(Number),
      )
      const differs = from?.findIndex((number, index) => number !== to?.[index]) ?? -1
      return operationType === 'UPGRADE' && (from?.[differs] ?? 0) > (to?.[differs] ?? Infinity)
    }, 'DOWNGRADE'),
  ),
  'orders-versions-as-texts': breaks(
    'version.no-order',
    'refuses an UPGRADE to a version that is lower as a text',
    refusing(
      ({ operation: { operationType, currentVersion, targetVersion } }) =>
        operationType === 'UPGRADE' && targetVersion < (currentVersion ?? ''),
      'DOWNGRADE',
    ),
    ['version'],
  ),
  'echo-constant-version': breaks(
    'version.schema-version',
    'takes every version 6 for 6.0.0, and echoes that',
    tolerating((json) => json['contractVersion'] === '6.1.0' && (json['contractVersion'] = '6.0.0')),
  ),
  'schema-version-is-contract': breaks(
    'version.schema-version',
    'takes schemaVersion for the contract version',
    (parts) => {
      const { readRequest } = parts
      parts.readRequest = (json) => {
        const request = readRequest(json)
        if (request.configuration.schemaVersion === '9.0.0') throw new Error('unexpected version')
        return request
      }
    },
  ),
  'needs-resources': breaks(
    'version.no-resources',
    'fails without an error of its own if resources are empty',
    (parts) => {
      const { apply } = parts
      parts.apply = (request) => {
        if (Object.keys(request.resources).length === 0)
          throw new Refusal('INTERNAL', 'Something went wrong', true)
        return apply(request)
      }
    },
    ['version.added-resource', 'module.detached-unnamed'],
  ),
  'refuses-added-module': breaks(
    'version.added-resource',
    'refuses a Module that an UPGRADE adds',
    (parts) => {
      const { apply } = parts
      parts.apply = (request) => {
        const isAdded = Object.values(request.resources).some(({ action }) => action === 'INSTALL')
        if (isAdded && request.operation.operationType === 'UPGRADE')
          throw new Refusal('NOT_INSTALLED', 'The tenant does not exist')
        return apply(request)
      }
    },
    ['module.added'],
  ),
  'refuses-unchanged-module': breaks(
    'version.unchanged-resource',
    'refuses a Module that does not change',
    (parts) => {
      const { apply } = parts
      parts.apply = (request) => {
        if (Object.values(request.resources).some(({ action }) => action === 'NONE'))
          throw new Refusal('ACTION_UNKNOWN', 'NONE is not an action')
        return apply(request)
      }
    },
  ),
  'trims-texts': breaks(
    'values.unusual-text',
    'trims texts',
    storing({ displayName: (name) => name.trim() }),
  ),
  'escapes-texts': breaks(
    'values.unusual-text',
    'escapes texts for HTML before it stores them',
    storing({ displayName: (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;') }),
    ['values.long-text'],
  ),
  'composes-letters': breaks(
    'values.unusual-text',
    'stores texts in a normal form of Unicode',
    storing({ displayName: (name) => name.normalize('NFC') }),
  ),
  'null-text': breaks(
    'values.text-like-others',
    'takes the text null for none',
    storing({ displayName: (name) => (name === 'null' ? '' : name) }),
  ),
  'zero-as-absent': breaks(
    'values.zero-and-false',
    'takes zero for an absent number',
    storing({ seats: (seats) => (seats === 0 ? 5 : seats) }),
  ),
  'cuts-texts': breaks(
    'values.long-text',
    'cuts texts after 255 characters',
    storing({ displayName: (name) => name.slice(0, 255) }),
  ),
  'numbers-of-32-bits': breaks(
    'values.large-number',
    'stores numbers in 32 bits',
    storing({ seats: (seats) => seats | 0 }),
  ),
  'empty-as-absent': breaks(
    'values.empty-text',
    'takes an empty text for a property that stays as it is',
    (parts, { state }) => {
      const { apply } = parts
      parts.apply = (request) => {
        const before = structuredClone(state.tenants)
        const result = apply(request)
        for (const [key, tenant] of Object.entries(state.tenants))
          if (tenant.displayName === '') tenant.displayName = before[key]?.displayName ?? ''
        return result
      }
    },
    ['module.value-removed'],
  ),
  'ascii-only': breaks(
    'version.unicode-kept',
    'stores texts as ASCII',
    (parts, { state }) => {
      const { apply } = parts
      parts.apply = (request) => {
        const result = apply(request)
        for (const tenant of Object.values(state.tenants))
          tenant.displayName = tenant.displayName.replaceAll(/[^\x20-\x7e]/g, '?')
        return result
      }
    },
    ['values.unusual-text'],
  ),
  'first-chunk': breaks(
    'connection.slow-request',
    'reads only the first chunk of a body',
    (parts) => {
      parts.readBody = async (incoming) => {
        const chunks: Buffer[] = []
        for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
        return chunks[0] ?? Buffer.alloc(0)
      }
    },
    ['concurrent.slow-upload', 'request.large-body', 'request.deep-nesting', 'connection.split-character'],
  ),
  'decodes-chunks': breaks(
    'connection.split-character',
    'decodes each chunk of a body by itself',
    (parts) => {
      parts.readBody = async (incoming) => {
        let text = ''
        for await (const chunk of incoming as AsyncIterable<Buffer>) text += chunk.toString()
        return Buffer.from(text)
      }
    },
    ['repeat.after-every-case'],
  ),
  'needs-length': breaks(
    'connection.chunked',
    'requires content-length',
    (parts) => {
      const { refuseHttp } = parts
      parts.refuseHttp = (incoming) =>
        incoming.headers['content-length'] === undefined ? 411 : refuseHttp(incoming)
    },
    ['request.get', 'request.empty'],
  ),
}
