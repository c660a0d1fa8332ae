import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { OutboundFailure } from './outbound-reason.ts'
import type { OutboundResponse, OutboundResult } from './outbound-types.ts'

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

/** Any other error means that the body is not in the encoding that its header names. */
const BY_CODE = new Map<unknown, OutboundFailure>([
  ['ERR_BUFFER_TOO_LARGE', 'too-large'],
  ['Z_BUF_ERROR', 'cut'],
])

/** Decompresses a response that is compressed although identity was requested, within the same size limit. */
export async function unpack(response: OutboundResponse, maxOutputLength: number): Promise<OutboundResult> {
  // a header that is sent twice is a list, whatever its type says
  const header: string | readonly string[] = response.headers['content-encoding'] ?? 'identity'
  const encoding = [header].flat().join(', ').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return response
  if (!(encoding === 'gzip' || encoding === 'deflate' || encoding === 'br'))
    return { kind: 'failed', reason: 'encoding' }
  try {
    return { ...response, body: await DECODERS[encoding](response.body, { maxOutputLength }) }
  } catch (error) {
    return { kind: 'failed', reason: BY_CODE.get((error as { code?: unknown }).code) ?? 'encoding' }
  }
}
