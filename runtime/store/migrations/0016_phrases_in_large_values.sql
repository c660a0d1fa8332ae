-- As before, but of a large value the order of the words is not compared. The index knows no order, so each value that has all words
-- of a phrase is taken apart again, which takes ten milliseconds for one of 100,000 characters: 1,500 took longer than a search may.
create or replace function runtime.find_values(query tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off
  as $$select bundle_install_id from (
      select bundle_install_id, value from runtime.configuration_property
      where value ->> '@type' = 'Data' and runtime.value_words(value) @@ replace(query::text, '<->', '&')::tsquery
      limit most) as found
    where case
      -- the size as stored first, for which a value need not be read
      when query::text not like '%<->%' or pg_column_size(value) > 2000 or length(value::text) > 4000 then true
      else runtime.value_words(value) @@ query end$$;
