-- The code of the last attempt, where an earlier attempt of the run has an unknown result: lists show it and filter by it, because
-- PLUGIN_RESULT_UNKNOWN says nothing about the cause.
create index operation_shown_error on runtime.operation
  (coalesce(failure ->> 'attemptCode', failure ->> 'errorCode'), created_at desc, operation_id desc)
  where failure is not null;
drop index runtime.operation_error;

-- The runtime itself is in every error path.
create or replace function runtime.words_of(of runtime.operation) returns tsvector
  language sql stable parallel safe set search_path = ''
  return runtime.words(concat_ws(e'\n', of.reason, of.failure ->> 'message', of.failure -> 'stopped' ->> 'reason',
    of.failure ->> 'errorCode', of.failure ->> 'attemptCode',
    (select string_agg(service, e'\n' order by position)
      from json_array_elements_text(
        case json_typeof(of.failure -> 'errorPath') when 'array' then of.failure -> 'errorPath' else '[]'::json end)
        with ordinality as path (service, position)
      where service <> 'bundle-runtime'),
    (select string_agg(reason, e'\n' order by run)
      from runtime.operation_retry where operation_retry.operation_id = of.operation_id),
    (select string_agg(text, e'\n' order by number)
      from runtime.operation_note where operation_note.operation_id = of.operation_id)));
