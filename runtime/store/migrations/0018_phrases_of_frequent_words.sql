-- As before, but where there are more values with all words of a phrase than may be looked at, all of these are returned, so that the
-- phrase counts as frequent. The comparison of their order left a part of the values that have it, as if these were all.
create or replace function runtime.find_values(query tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off
  as $$with found as materialized (
      select bundle_install_id, value from runtime.configuration_property
      where value ->> '@type' = 'Data' and runtime.value_words(value) @@ replace(query::text, '<->', '&')::tsquery
      limit most)
    select bundle_install_id from found
    where (select count(*) from found) >= most or case
      -- the size as stored first, for which a value need not be read
      when query::text not like '%<->%' or pg_column_size(value) > 2000 or length(value::text) > 4000 then true
      else runtime.value_words(value) @@ query end$$;
