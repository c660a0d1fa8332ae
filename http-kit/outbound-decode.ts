import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { OutboundResponse, OutboundResult } from './outbound-types.ts'

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

/** Decompresses a response that is compressed although identity was requested, within the same size limit. */
export async function unpack(response: OutboundResponse, maxOutputLength: number): Promise<OutboundResult> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return response
  if (!(encoding === 'gzip' || encoding === 'deflate' || encoding === 'br'))
    return { kind: 'failed', reason: 'cut' }
  try {
    return { ...response, body: await DECODERS[encoding](response.body, { maxOutputLength }) }
  } catch (error) {
    const isTooLarge = (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    return { kind: 'failed', reason: isTooLarge ? 'too-large' : 'cut' }
  }
}
