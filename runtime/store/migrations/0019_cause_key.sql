-- The cause of a failure whose automatic retries a person stopped is that of its last attempt, which decides the next step too.
create or replace function runtime.cause_of(failure json) returns text
  language sql immutable set search_path = ''
  return left(encode(sha256(convert_to(jsonb_build_array(
    failure -> 'errorPath' ->> 1,
    coalesce(failure ->> 'attemptCode', failure ->> 'errorCode'),
    failure ->> 'retryable',
    failure -> 'parameters' ->> 'reason',
    failure -> 'parameters' ->> 'status',
    failure -> 'readsWrites' is not null,
    failure -> 'refusedHere' ->> 'rule',
    runtime.failure_shape(failure ->> 'message'))::text, 'UTF8')), 'hex'), 32);
