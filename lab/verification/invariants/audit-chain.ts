import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import { readJson } from './reader.ts'
import type { Reader } from './reader.ts'

/** I13: audit entries are numbered without a gap, each has the hash of the previous one, and the head is the last. */
export async function checkAuditChain(reader: Reader): Promise<Violation[]> {
  const text = `
    select json_build_object(
      'gaps', (select count(*) from (
        select sequence - lag(sequence, 1, 0::bigint) over (order by sequence) as step
        from runtime.audit_entry) steps where step <> 1),
      'breaks', (select count(*) from (
        select previous_hash, lag(hash) over (order by sequence) as expected, sequence
        from runtime.audit_entry) links where sequence > 1 and previous_hash is distinct from expected),
      'wrongHashes', (select count(*) from runtime.audit_entry e where runtime.audit_hash(e) <> hash),
      'isHeadLast', (select head.sequence = coalesce(max(e.sequence), 0) from runtime.audit_head head
        left join runtime.audit_entry e on true group by head.sequence),
      'drafts', (select count(*) from runtime.audit_draft))::text as json`
  // the statement builds exactly this shape
  const found = (await readJson(reader, text, [])) as {
    gaps: number
    breaks: number
    wrongHashes: number
    isHeadLast: boolean
    drafts: number
  }
  return [
    ...(found.gaps > 0 ? [broken('I13', `the audit has ${found.gaps} gaps`)] : []),
    ...(found.breaks > 0 ? [broken('I13', `the chain of the audit is broken ${found.breaks} times`)] : []),
    ...(found.wrongHashes > 0 ? [broken('I13', `${found.wrongHashes} audit entries have a wrong hash`)] : []),
    ...(found.isHeadLast ? [] : [broken('I13', 'the head of the audit is not its last entry')]),
    ...(found.drafts > 0 ? [broken('I12', `${found.drafts} audit drafts outlived their transaction`)] : []),
  ]
}
