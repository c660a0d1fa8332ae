-- replaces: eb190d0bbecfaa68798372bbde9d231a8a0bbf441b459f7d8d41af4d861671d2
-- The search also finds a failed operation by the code of its failure, and by the plugin and the other services of its error
-- path. The runtime itself is in every path.
create or replace function runtime.words_of(of runtime.operation) returns tsvector
  language sql stable parallel safe set search_path = ''
  return runtime.words(concat_ws(e'\n', of.reason, of.failure ->> 'message', of.failure -> 'stopped' ->> 'reason',
    of.failure ->> 'errorCode',
    (select string_agg(service, e'\n' order by position)
      from json_array_elements_text(
        case json_typeof(of.failure -> 'errorPath') when 'array' then of.failure -> 'errorPath' else '[]'::json end)
        with ordinality as path (service, position)
      where service <> 'bundle-runtime'),
    (select string_agg(reason, e'\n' order by run)
      from runtime.operation_retry where operation_retry.operation_id = of.operation_id),
    (select string_agg(text, e'\n' order by number)
      from runtime.operation_note where operation_note.operation_id = of.operation_id)));

-- 0038 fills the operations that have failed already.

-- The index returns a part of the matches of one frequent word. Of several it would return a part of each, and of these
-- only what all of them have in common: too few, which looks like rare words. So several words are looked up in full.
create or replace function runtime.find_words(query tsquery, most integer) returns setof uuid
  language plpgsql stable set enable_seqscan = off set gin_fuzzy_search_limit = 20000 as $$
begin
  if numnode($1) > 1 then
    -- ends with the function, like the setting above
    perform set_config('gin_fuzzy_search_limit', '0', true);
  end if;
  return query select operation_id from runtime.operation_text where words @@ $1 limit $2;
end $$;
